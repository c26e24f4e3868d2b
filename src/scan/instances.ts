import type { ByteEdit, Encoding, Instance, PatternSpec } from "../ports/index.ts";
import type { Found } from "./finder.ts";
import { ordinalKey } from "./instance-key.ts";
import type { PreparedSource } from "./prepared-source.ts";
import type { ByteOffsets } from "./text/byte-offsets.ts";
import { unencodableReason } from "./text/encode.ts";

/** What one pattern found; `order` is the pattern's place in the rules. */
export interface PatternFound {
  readonly spec: PatternSpec;
  readonly order: number;
  readonly found: Found;
}

/** In the order of their places, with lines, bytes and ordinals. No two keep edits that touch. */
export function toInstances(
  all: readonly PatternFound[],
  source: PreparedSource,
  offsets: ByteOffsets,
  encoding: Encoding,
): readonly Instance[] {
  const ordered = [...all].sort((a, b) => a.found.start - b.found.start || a.found.end - b.found.end || a.order - b.order);
  const ordinals = new Map<string, number>();
  const claimed: Claim[] = [];
  return ordered.map(({ spec, found }) => {
    const settled = settle(found, spec.id, { claimed, encoding });
    const text = source.text.slice(found.start, found.end);
    const key = ordinalKey(spec.id, text);
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return toInstance(spec, settled, { source, offsets, text, ordinal });
  });
}

/** Where an earlier instance edits: from the beginning of its first edit to the end of its last. */
interface Claim {
  readonly start: number;
  readonly end: number;
  readonly pattern: string;
  /** The furthest end of this and all earlier claims, so that looking back can stop. */
  readonly reach: number;
}

/** Takes the edits from an instance when they cannot be written or touch those of an earlier one. */
function settle(found: Found, pattern: string, state: { readonly claimed: Claim[]; readonly encoding: Encoding }): Found {
  const [first] = found.edits ?? [];
  const last = found.edits?.at(-1);
  if (first === undefined || last === undefined) return found;
  for (const { text } of found.edits ?? []) {
    const reason = unencodableReason(text, state.encoding);
    if (reason !== undefined) return withoutEdits(found, reason);
  }
  const { claimed } = state;
  for (let at = claimed.length - 1; at >= 0; at--) {
    const other = claimed[at];
    if (other === undefined || other.reach < first.start) break;
    if (first.start <= other.end && other.start <= last.end) {
      return withoutEdits(found, `Its change touches that of an earlier match of \`${other.pattern}\`.`);
    }
  }
  claimed.push({ start: first.start, end: last.end, pattern, reach: Math.max(last.end, claimed.at(-1)?.reach ?? 0) });
  return found;
}

function withoutEdits({ edits: _edits, ...found }: Found, why: string): Found {
  return { ...found, auto: false, needs: "review", why };
}

interface Surroundings {
  readonly source: PreparedSource;
  readonly offsets: ByteOffsets;
  readonly text: string;
  readonly ordinal: number;
}

function toInstance(spec: PatternSpec, found: Found, { source, offsets, text, ordinal }: Surroundings): Instance {
  const { start, end, edits, ...facts } = found;
  const from = source.lines.placeAt(start);
  const to = source.lines.placeAt(end);
  return {
    pattern: spec.id,
    ...facts,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
    start: offsets.at(start),
    end: offsets.at(end),
    text,
    ...(edits === undefined
      ? {}
      : { edits: edits.map((edit): ByteEdit => ({ start: offsets.at(edit.start), end: offsets.at(edit.end), text: edit.text })) }),
    ...(spec.guide === undefined ? {} : { guide: spec.guide }),
    ...(spec.step === undefined ? {} : { step: spec.step }),
    ...(found.section === undefined && spec.section !== undefined ? { section: spec.section } : {}),
    ordinal,
  };
}
