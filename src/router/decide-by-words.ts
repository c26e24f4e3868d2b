import { rankWorkflows, type Ranked } from "./rank-workflows.ts";
import type { Candidate, Routable, Routed } from "./routed.ts";
import { withoutRoutingLines } from "./routing-line.ts";
import { asksForWords, beginningsOf, speechActOf, type SpeechAct } from "./speech-act.ts";
import { readableText } from "./words-of.ts";

/** Below `ask` a message has nothing to do with any workflow; below `route` too little to start it. */
const enough = { ask: 2.2, route: 3.2 } as const;

/** How many times better than the second the first one must be, where it shares a phrase with the message, and where only words. */
const ahead = { phrase: 1.3, words: 1.5 } as const;

/** Decides by words alone: starts a workflow only for a request that clearly fits one better than the others. */
export function decideByWords(message: string, workflows: readonly Routable[]): Routed {
  const text = withoutRoutingLines(readableText(message));
  const { ranked } = rankWorkflows(text, workflows);
  const candidates = ranked.slice(0, 3).map(shown);
  const [best, second] = ranked;
  const converse = { kind: "converse", candidates, by: "words" } as const;
  if (best === undefined || best.score < enough.ask) return converse;
  const act = actFor(best, text);
  const isMore = best.shared > 1 || best.phrase > 0;
  if (act === "question" || act === "refusal" || (act === "statement" && !isMore)) return converse;
  const isClear =
    isMore && best.score >= enough.route && best.score >= (second?.score ?? 0) * (best.phrase > 0 ? ahead.phrase : ahead.words);
  if (act === "request" && isClear) return { kind: "route", workflow: best.workflow, intent: message, candidates, by: "words" };
  return { kind: "ask", intent: message, candidates, by: "words" };
}

/** `Tell me a story` asks for words, and for work where a workflow says so itself. */
function actFor({ phrase, opens }: Ranked, text: string): SpeechAct {
  const act = speechActOf(text);
  return act === "question" && phrase > 1 && opens && beginningsOf(text).some(asksForWords) ? "request" : act;
}

function shown({ workflow, score, why }: Ranked): Candidate {
  return { workflow, score: Math.round(score * 100) / 100, why };
}
