import { readFile } from "node:fs/promises";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { kindOf, refusedKinds } from "./worker-kinds.ts";

interface Line {
  readonly method: string;
  readonly params: {
    readonly sessionId?: string;
    readonly prompt?: readonly { readonly text: string }[];
    readonly tool?: string;
    readonly text?: string;
  };
}

/** What agents were given for one file, from its first prompt to its end. */
interface Given {
  readonly sessions: Set<string>;
  /** Of the last turn that was given the whole step, and what followed in it: what came before was interrupted. */
  tokens: number;
  refused: number;
  acknowledged: boolean;
  /** Its last turn came to an end, and was not cut off. */
  ended: boolean;
}

export interface Conversations {
  readonly sessions: number;
  readonly refused: number;
  /** Files whose agent was cut off before it could be told that its report is recorded: a runner was killed between the commit and the reply. */
  readonly unheard: number;
  /** Mean tokens a file, of prompts and replies, for the tenth of files that came first and the one that came last. */
  readonly tokens: { readonly first: number; readonly last: number };
}

/** How many agents were cut off before they were told that their report is recorded; who was not cut off, and not told, is complained about. */
function unheardOf(given: ReadonlyMap<string, Given>, names: readonly string[], complaints: string[]): number {
  let unheard = 0;
  for (const name of names) {
    const seen = given.get(name);
    if (seen?.acknowledged !== true && seen?.ended === false) unheard += 1;
    else if (seen?.acknowledged !== true) complaints.push(`no agent was told that its report on ${name} is recorded`);
    if (refusedKinds.includes(kindOf(name)) && (seen?.refused ?? 0) === 0) complaints.push(`nothing was refused to the agent of ${name}`);
  }
  return unheard;
}

/** What drifting agents saw, in the order in which they saw it, and what of it must not be. */
export async function readConversations(log: string, names: readonly string[], complaints: string[]): Promise<Conversations> {
  const given = new Map<string, Given>();
  const fileOf = new Map<string, string>();
  for (const { method, params } of await linesOf(log)) {
    const { sessionId = "", prompt, text = prompt?.map((part) => part.text).join("") ?? "" } = params;
    if (method === "session/prompt") asked(sessionId, text);
    if (method === "turn/end") ended(sessionId);
    if (method === "tools/reply") told(sessionId, params.tool ?? "", text);
  }

  function asked(session: string, text: string): void {
    const before = fileOf.get(session);
    const named = /\bf\d+\.txt\b/.exec(text)?.[0];
    const file = named ?? before;
    if (file === undefined) return void complaints.push(`session ${session} was given no file: ${text.slice(0, 200)}`);
    if (before !== undefined && before !== file) complaints.push(`session ${session} was for ${before} and for ${file}`);
    fileOf.set(session, file);
    const seen = given.get(file) ?? { sessions: new Set(), tokens: 0, refused: 0, acknowledged: false, ended: false };
    given.set(file, seen);
    if (seen.acknowledged) complaints.push(`${file} was handed out again after its report was acknowledged`);
    // Set anew for each prompt: the last one is the conversation that has the file now.
    seen.sessions.delete(session);
    seen.sessions.add(session);
    seen.ended = false;
    if (named !== undefined) seen.tokens = 0;
    seen.tokens += encode(text).length;
  }

  function told(session: string, tool: string, text: string): void {
    const file = fileOf.get(session) ?? "";
    const seen = given.get(file);
    if (seen === undefined) return;
    if ([...seen.sessions].at(-1) !== session) complaints.push(`${file} was with two agents: ${session} had not ended`);
    seen.tokens += encode(text).length;
    if (text.includes('"isError":true')) seen.refused += 1;
    else if (tool === "workflow_progress") seen.acknowledged = true;
  }

  function ended(session: string): void {
    const seen = given.get(fileOf.get(session) ?? "");
    if (seen !== undefined) seen.ended = true;
  }

  const unheard = unheardOf(given, names, complaints);
  const all = [...given.values()];
  return {
    sessions: fileOf.size,
    unheard,
    refused: all.reduce((sum, { refused }) => sum + refused, 0),
    tokens: compare(given, complaints),
  };
}

/** Files of one kind of agent are compared with each other, so that the kinds may be mixed in any way; what was cut off is left out. */
function compare(given: ReadonlyMap<string, Given>, complaints: string[]): Conversations["tokens"] {
  const kinds = [...new Set([...given.keys()].map(kindOf))].map((kind) => {
    const tokens = [...given].flatMap(([file, seen]) => (kindOf(file) === kind && seen.ended ? [seen.tokens] : []));
    const part = Math.max(1, Math.floor(tokens.length / 10));
    return { kind, first: meanOf(tokens.slice(0, part)), last: meanOf(tokens.slice(-part)), most: Math.max(...tokens) };
  });
  for (const { kind, first, last, most } of kinds)
    if (Math.max(last, most) > first * 1.03) complaints.push(`${kind}: from ${first} tokens a file to ${last}, at most ${most}`);
  return { first: Math.round(meanOf(kinds.map(({ first }) => first))), last: Math.round(meanOf(kinds.map(({ last }) => last))) };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The last line may be cut off where its writer was killed. */
async function linesOf(log: string): Promise<Line[]> {
  const lines = (await readFile(log, "utf8")).split("\n");
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}
