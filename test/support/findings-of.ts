import { readFindings } from "../../src/findings/index.ts";

type Reading = Parameters<typeof readFindings>[1];
export type Read = ReturnType<typeof readFindings> extends AsyncGenerator<infer Each> ? Each : never;

export async function* chunksOf(text: string, size: number = text.length): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; at += Math.max(1, size)) yield text.slice(at, at + Math.max(1, size));
}

/** All that a tool called `tool` says in a workspace `/w`. */
export async function findingsOf(
  text: string | AsyncIterable<string>,
  reading: Partial<Reading> & Pick<Reading, "format">,
): Promise<Read[]> {
  const all: Read[] = [];
  const chunks = typeof text === "string" ? chunksOf(text) : text;
  for await (const each of readFindings(chunks, { tool: "tool", workspace: "/w", ...reading })) all.push(each);
  return all;
}
