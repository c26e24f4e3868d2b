import { expect, test } from "vitest";
import { splitLines } from "./split-lines.ts";

async function linesOf(chunks: readonly string[], most?: number): Promise<string[]> {
  const stream = (async function* () {
    yield* chunks;
  })();
  const lines: string[] = [];
  for await (const line of splitLines(stream, most)) lines.push(line);
  return lines;
}

test("lines are put together over chunks, empty ones left out, the last one needs no end", async () => {
  expect(await linesOf(["a", "b\n\nc\nd", "e"])).toEqual(["ab", "c", "de"]);
});

test("of a line that does not end only the beginning is kept", async () => {
  expect(await linesOf(["12345", "67890", "x\nnext\n"], 8)).toEqual(["12345678", "next"]);
});
