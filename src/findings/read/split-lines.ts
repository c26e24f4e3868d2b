/** Characters of a line that are read; nobody reports anything behind them. */
export const longestLine = 20_000;

/** Lines of a text that comes in chunks, without their ends and without empty ones. Of a longer line only the beginning is handed over. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = "";
  for await (const chunk of text) {
    let from = 0;
    for (const { index, 0: end } of chunk.matchAll(/[\r\n]+/g)) {
      const line = joined(held, chunk, from, index);
      held = "";
      from = index + end.length;
      if (line !== "") yield line;
    }
    held = joined(held, chunk, from, chunk.length);
  }
  if (held !== "") yield held;
}

function joined(held: string, chunk: string, from: number, end: number): string {
  return held.length >= longestLine ? held : held + chunk.slice(from, Math.min(end, from + longestLine - held.length));
}
