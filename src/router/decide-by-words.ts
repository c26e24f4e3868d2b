import { asksForWords, objectsOf, verbsOf } from "./read-clause.ts";
import { articles } from "./request-words.ts";
import { rankWorkflows, type Ranked } from "./rank-workflows.ts";
import type { Candidate, Routable, Routed } from "./routed.ts";
import { hasRoutingForm, withoutRoutingLines } from "./routing-line.ts";
import { readSpeech, type Reading, type SpeechAct } from "./speech-act.ts";
import { withoutQuotations } from "./without-quotations.ts";
import { readableText } from "./words-of.ts";

/**
 * Below `ask` a message has nothing to do with any workflow; below `said` nobody is asked because of what is only said, or below `fits` where only signs
 * tell; below this share of the best one, `beside`, nothing is a candidate.
 */
const enough = { ask: 1.2, beside: 0.2, said: 3, fits: 5 } as const;

/** By how much the first workflow must be ahead of the second: where it does what the verb says or the message begins with a phrase of it, or not. */
const ahead = { does: 0.7, words: 2 } as const;

/** How much must tell for a workflow that starts, and how much more where the verb, or what it is done to, is not the workflow's. */
const needed = { least: 3.5, verb: 3, object: 4 } as const;

/** Decides by words alone: starts a workflow only for a request that clearly fits one better than the others. */
export function decideByWords(message: string, workflows: readonly Routable[]): Routed {
  const readable = readableText(message);
  const text = withoutRoutingLines(readable);
  const reading = readSpeech(withoutQuotations(text));
  const { wanted: parts, asked } = reading;
  const ranked = rankWorkflows({ parts, asked, verbs: asked.flatMap(verbsOf), objects: asked.flatMap(objectsOf) }, workflows);
  const [best, second] = ranked;
  const candidates = ranked
    .slice(0, 3)
    .filter(({ score }) => score >= (best?.score ?? 0) * enough.beside)
    .map(shown);
  const converse = { kind: "converse", candidates, by: "words" } as const;
  if (best === undefined || best.score < enough.ask) return converse;
  const act = tellsTo(message, best) ? "request" : actFor(best, reading);
  if (!isAskedAbout(best, act, reading.isTask)) return converse;
  // A message with what could be the answer of a model is looked at by a person first.
  const isPlain = text === readable && !hasRoutingForm(message);
  if (isPlain && isClear(best, second, act)) return { kind: "route", workflow: best.workflow, intent: message, candidates, by: "words" };
  return { kind: "ask", intent: message, candidates, by: "words" };
}

/** Whether a person is asked at least: what is only said or asked has to fit well. */
function isAskedAbout({ score, shared, phrase, told }: Ranked, act: SpeechAct, isTask: boolean): boolean {
  if (act === "request" || act === "aside" || act === "proposal") return true;
  const isSaid = act === "need" || (act === "statement" && (shared > 1 || phrase > 0 || (told > 1 && score >= enough.fits)));
  return score >= enough.said && (isTask || isSaid);
}

function isClear(best: Ranked, second: Ranked | undefined, act: SpeechAct): boolean {
  const isWanted = act === "request" || act === "aside";
  if (second !== undefined && second.phrase > 1 && second.phrase >= best.phrase) return false;
  const isSaid = best.phrase > 1 && best.opens;
  const lead = act === "request" && (best.means || isSaid) && second?.does !== true ? ahead.does : ahead.words;
  return isWanted && best.score - (second?.score ?? 0) >= lead && (isSaid || isProven(best));
}

/** Whether enough tells that the workflow is meant: its score, and how many words do. Where both the verb and its object are foreign, nothing is enough. */
function isProven({ score, told, isForeign, isOther, isElse }: Ranked): boolean {
  if (isOther || (isForeign && (isElse || told < 2))) return false;
  return score + told >= needed.least + (isForeign ? needed.verb : isElse ? needed.object : 0);
}

/** `Tell me a story` asks for words, and for work where a workflow says so itself. A phrase alone asks for what it names. */
function actFor({ phrase, says, opens, isAll }: Ranked, { act }: Reading): SpeechAct {
  if ((act === "statement" || act === "need") && isAll) return "request";
  if (act === "need" && opens && phrase > 1) return "aside";
  return act === "question" && phrase > 1 && opens && asksForWords(says.toLowerCase()) ? "request" : act;
}

/** Whether a message begins with a name or trigger of one word and says to whom or what it is done, so that the word is a verb: `greet Ada`. */
function tellsTo(message: string, { says, phrase }: Ranked): boolean {
  const [first = "", next = ""] = message.trimStart().split(/\s+/, 2);
  return phrase === 1 && first.toLowerCase() === says.toLowerCase() && (/^\p{Lu}/u.test(next) || articles.has(next.toLowerCase()));
}

function shown({ workflow, score, why }: Ranked): Candidate {
  return { workflow, score: Math.round(score * 100) / 100, why };
}
