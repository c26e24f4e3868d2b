/** Longer lines are not messages of any protocol. */
const longestLine = 32 * 1024 * 1024;

/** Whole lines of a stream of text. Of a line that never ends only the beginning is kept. */
export async function* splitLines(chunks: AsyncIterable<string>, most: number = longestLine): AsyncGenerator<string, void, undefined> {
  let held = "";
  for await (const chunk of chunks) {
    const lines = chunk.split("\n");
    for (const [at, part] of lines.entries()) {
      if (held.length < most) held += part.slice(0, most - held.length);
      if (at === lines.length - 1) break;
      if (held.trim() !== "") yield held;
      held = "";
    }
  }
  if (held.trim() !== "") yield held;
}
