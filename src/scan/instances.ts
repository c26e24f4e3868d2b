import { maskSecret, maskSpans } from "../base/index.ts";
import type { Encoding, Instance, PatternSpec } from "../ports/index.ts";
import { firstIndex } from "./first-index.ts";
import type { Found, Writable } from "./finder.ts";
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
    const settled = claimEdits(found, spec.id, claimed, encoding);
    const text = shownText(found, source);
    // Formatting does not make another instance of it.
    const key = `${spec.id}\n${text.replace(/\s+/g, " ").trim()}`;
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return toInstance(spec, settled, { source, offsets, text, ordinal });
  });
}

/** An edit that an earlier instance keeps. Claims are sorted and do not overlap. */
interface Claim {
  readonly start: number;
  readonly end: number;
  readonly pattern: string;
}

/** Takes the edits from an instance when they cannot be written or touch those of an earlier one: all of them, or none. */
function claimEdits(found: Found, pattern: string, claimed: Claim[], encoding: Encoding): Found {
  if (found.edits === undefined) return found;
  for (const { start, end, text } of found.edits) {
    const reason = unencodableReason(text, encoding);
    if (reason !== undefined) return withoutEdits(found, reason);
    const other = claimed[firstBehind(claimed, end) - 1];
    if (other !== undefined && other.end >= start) {
      return withoutEdits(found, `Its change touches that of an earlier match of \`${other.pattern}\`.`);
    }
  }
  for (const { start, end } of found.edits) claimed.splice(firstBehind(claimed, end), 0, { start, end, pattern });
  return found;
}

/** Index of the first claim that begins behind an offset. */
function firstBehind(claimed: readonly Claim[], offset: number): number {
  return firstIndex(claimed.length, (index) => (claimed[index] as Claim).start > offset);
}

function withoutEdits({ edits: _edits, ...found }: Found, why: string): Found {
  return { ...found, auto: false, needs: "review", why };
}

/** A secret does not leave the scanner: what is kept, shown and hashed of the match holds its mask. */
function shownText({ start, end, secrets }: Found, { text }: PreparedSource): string {
  const match = text.slice(start, end);
  return secrets === undefined
    ? match
    : maskSpans(
        match,
        secrets.map((span) => ({ start: span.start - start, end: span.end - start })),
      );
}

/** A template may repeat what was matched. */
function withoutSecrets(made: string, { secrets = [] }: Found, { text }: PreparedSource): string {
  let shown = made;
  for (const { start, end } of secrets) shown = shown.replaceAll(text.slice(start, end), (secret) => maskSecret(secret));
  return shown;
}

function toInstance(
  spec: PatternSpec,
  found: Found,
  { source, offsets, text, ordinal }: { source: PreparedSource; offsets: ByteOffsets; text: string; ordinal: number },
): Instance {
  const from = source.lines.placeAt(found.start);
  const to = source.lines.placeAt(found.end);
  const instance: Writable<Instance> = {
    pattern: spec.id,
    type: found.type,
    auto: found.auto,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
    start: offsets.at(found.start),
    end: offsets.at(found.end),
    text,
    ordinal,
  };
  const section = found.section ?? spec.section;
  if (found.seedType !== undefined) instance.seedType = found.seedType;
  if (found.needs !== undefined) instance.needs = found.needs;
  if (found.why !== undefined) instance.why = found.why;
  if (found.action !== undefined) instance.action = found.action;
  if (found.suggestion !== undefined) instance.suggestion = withoutSecrets(found.suggestion, found, source);
  if (found.secrets !== undefined) instance.secret = true;
  if (found.procedure !== undefined) instance.procedure = found.procedure;
  if (spec.guide !== undefined) instance.guide = spec.guide;
  if (spec.step !== undefined) instance.step = spec.step;
  if (section !== undefined) instance.section = section;
  if (found.edits !== undefined)
    instance.edits = found.edits.map((edit) => ({ start: offsets.at(edit.start), end: offsets.at(edit.end), text: edit.text }));
  return instance;
}
