import type { Finding } from "../../ports/index.ts";
import { unreadable } from "../codes.ts";
import { Damage } from "./json/damage.ts";
import { readEslint } from "./read-eslint.ts";
import { readLines } from "./read-lines.ts";
import type { Reading, Unplaced } from "./reading.ts";
import { readSarif } from "./sarif/read-sarif.ts";

const readers = { sarif: readSarif, eslint: readEslint, lines: readLines };

/**
 * What a tool reported, in the order of its output, read piece by piece: memory holds what was reported, never the text. With `lines`, each line that
 * fits the pattern gives one finding or one without a place. Throws FINDINGS_UNREADABLE where the output is not in its format, which can be after
 * some findings: they do not count then.
 */
export async function* readFindings(text: AsyncIterable<string>, reading: Reading): AsyncGenerator<Finding | Unplaced, void, undefined> {
  try {
    yield* readers[reading.format](text, reading);
  } catch (error) {
    throw error instanceof Damage ? unreadable(reading, error) : error;
  }
}
