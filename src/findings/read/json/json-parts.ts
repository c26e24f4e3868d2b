import { Damage } from "./damage.ts";
import { JsonScanner } from "./json-scanner.ts";
import type { Part, Wanted } from "./wanted.ts";

/** Characters that a message repeats of a damaged text, at most. */
const told = 200;

/** The wanted parts of a JSON document, each as soon as it has come. Throws Damage, with what is there, where the document is damaged. */
export async function* jsonParts(text: AsyncIterable<string>, wanted: Wanted): AsyncGenerator<Part, void, undefined> {
  const scanner = new JsonScanner(wanted);
  const chunks = text[Symbol.asyncIterator]();
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield* scanner.feed(next.value);
    scanner.end();
  } catch (error) {
    if (!(error instanceof Damage) || error.found !== undefined) throw error;
    let found = scanner.rest();
    while (found.length < told) {
      const next = await chunks.next();
      if (next.done === true) break;
      found += next.value;
    }
    throw new Damage(error.expected, error.at, found);
  } finally {
    await chunks.return?.();
  }
}
