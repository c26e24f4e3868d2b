import { nearest } from "../base/index.ts";
import { decideByWords } from "./decide-by-words.ts";
import { routerResultOf } from "./parse-router-response.ts";
import { AnswerReader } from "./read-answer.ts";
import { readName, resolveName } from "./read-name.ts";
import type { Candidate, Routable, Routed } from "./routed.ts";
import { buildRouterPrompt } from "./router-prompt.ts";

/** The model is asked through this; it is absent where none is configured. What it throws, and an empty answer, make words decide. */
export type AskModel = (prompt: string, signal: AbortSignal) => AsyncIterable<string>;

export interface RouteRequest {
  /** What the person wrote, whole. */
  readonly message: string;
  readonly workflows: readonly Routable[];
  /** The caller read a command that names a workflow, such as `/workflow run <name> <text>`. The end of a name is enough where only one has it. */
  readonly command?: { readonly workflow: string; readonly text: string };
  /** The conversation's own workflow takes every message, except those that begin with `escape`: these are routed without it. */
  readonly usual?: { readonly workflow: string; readonly escape: string };
  readonly ask?: AskModel;
  readonly signal?: AbortSignal;
  /** Takes what the model says to the person, as it comes; never a routing line that counts, and nothing after one. */
  readonly onText?: (text: string) => void;
}

/** Decides what a message asks for. Starts nothing. Rejects only when `signal` is aborted. */
export async function route(request: RouteRequest): Promise<Routed> {
  const { command, message, usual, workflows } = request;
  if (command !== undefined) return byCommand(command, workflows);
  if (message.trim() === "") return { kind: "converse", candidates: [], by: "words" };
  const names = workflows.map(({ name }) => name);
  const escapes = usual !== undefined && usual.escape !== "" && message.startsWith(usual.escape);
  const text = escapes ? message.slice(usual.escape.length).trim() : message;
  const named = readName(text, names);
  if (named !== undefined) return decided(named.workflow, named.text, "name");
  const notes: string[] = [];
  if (usual !== undefined && !escapes) {
    if (names.includes(usual.workflow)) return decided(usual.workflow, message, "default");
    notes.push(`The conversation's workflow \`${usual.workflow}\` does not exist.`);
  }
  const byModel = await askModel(request, text);
  if (byModel?.routed !== undefined) return withNotes(byModel.routed, notes);
  return withNotes(decideByWords(text, workflows), [...notes, ...(byModel === undefined ? [] : [byModel.problem])]);
}

function byCommand({ workflow, text }: NonNullable<RouteRequest["command"]>, workflows: readonly Routable[]): Routed {
  const names = workflows.map(({ name }) => name);
  const found = resolveName(workflow, names, 1);
  if (found !== undefined) return decided(found, text, "command");
  const candidates = nearest(workflow, names).map((name): Candidate => ({
    workflow: name,
    score: 0,
    why: [`is called almost like \`${workflow}\``],
  }));
  return { kind: "ask", intent: text, candidates, by: "command", notes: [`There is no workflow \`${workflow}\`.`] };
}

const reasons = { command: "named by the command", name: "named at the beginning", default: "the conversation's workflow" } as const;

function decided(workflow: string, intent: string, by: keyof typeof reasons): Routed {
  return { kind: "route", workflow, intent, candidates: [{ workflow, score: 1, why: [reasons[by]] }], by };
}

type Asked = { readonly routed: Routed } | { readonly routed?: undefined; readonly problem: string };

async function askModel(
  { workflows, ask, onText, signal = new AbortController().signal }: RouteRequest,
  message: string,
): Promise<Asked | undefined> {
  if (ask === undefined) return undefined;
  const asked = { message, workflows };
  const reader = new AnswerReader(asked);
  const pieces: string[] = [];
  const show = (text: string): void => {
    if (text !== "") onText?.(text);
  };
  try {
    for await (const piece of ask(buildRouterPrompt(message, workflows), signal)) {
      pieces.push(piece);
      show(reader.add(piece));
    }
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `The router's agent failed, so words decided: ${error instanceof Error ? error.message : String(error)}` };
  }
  signal.throwIfAborted();
  const answer = pieces.join("");
  if (answer.trim() === "") return { problem: "The router's agent gave no answer, so words decided." };
  show(reader.end());
  const { workflow, userIntent: intent, notes } = routerResultOf(reader, answer, asked);
  const { candidates } = decideByWords(message, workflows);
  if (workflow === null) return { routed: withNotes({ kind: "converse", answer, candidates, by: "model" }, notes) };
  const chosen: Candidate = candidates.find((each) => each.workflow === workflow) ?? { workflow, score: 0, why: ["chosen by the model"] };
  const others = candidates.filter((each) => each !== chosen).slice(0, 2);
  return { routed: withNotes({ kind: "route", workflow, intent, candidates: [chosen, ...others], by: "model" }, notes) };
}

function withNotes(routed: Routed, notes: readonly string[]): Routed {
  const all = [...notes, ...(routed.notes ?? [])];
  return all.length === 0 ? routed : { ...routed, notes: all };
}
