import { maskSecret, maskSpans } from "../base/index.ts";
import type { Encoding, Instance, PatternSpec } from "../ports/index.ts";
import { firstIndex } from "./first-index.ts";
import type { Found, TextEdit, Writable } from "./finder.ts";
import type { PreparedSource } from "./prepared-source.ts";
import type { ByteOffsets } from "./text/byte-offsets.ts";
import { unencodableReason } from "./text/encode.ts";

/** What one pattern found; `order` is the pattern's place in the rules. */
export interface PatternFound {
  readonly spec: Pick<PatternSpec, "id" | "finder" | "guide" | "step" | "section">;
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
  const ordered = withoutTwins(
    [...all].sort((a, b) => a.found.start - b.found.start || a.found.end - b.found.end || a.order - b.order),
    source,
  );
  const ordinals = new Map<string, number>();
  const refused = refusals(ordered, encoding);
  return ordered.map((one) => {
    const { spec, found } = one;
    const why = refused.get(one);
    const text = shownText(found, source);
    // Formatting does not make another instance of it.
    const key = `${spec.id}\n${text.replace(/\s+/g, " ").trim()}`;
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return toInstance(spec, why === undefined ? found : withoutEdits(found, why), { source, offsets, text, ordinal });
  });
}

/**
 * Two guides may name the same place: it is kept for the one that knows most of it. That is one with a finder, else that of the longer text, else
 * the one that comes first. What is in the brackets of a call is another place.
 */
function withoutTwins(ordered: readonly PatternFound[], { text }: PreparedSource): readonly PatternFound[] {
  const guided = ordered.filter(({ spec }) => spec.guide !== undefined);
  if (new Set(guided.map(({ spec }) => spec.guide)).size < 2) return ordered;
  const rank = ({ spec, found, order }: PatternFound): readonly number[] => [
    spec.finder === undefined ? 1 : 0,
    found.start - found.end,
    order,
  ];
  const better = (a: PatternFound, b: PatternFound): boolean => {
    const [left, right] = [rank(a), rank(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return (left[at] ?? 0) < (right[at] ?? 0);
  };
  const dropped = new Set<PatternFound>();
  for (const [at, one] of guided.entries()) {
    for (let next = at + 1; next < guided.length; next += 1) {
      const other = guided[next] as PatternFound;
      if (other.found.start >= one.found.end) break;
      if (other.spec.guide === one.spec.guide || depthAt(text, one.found.start, other.found.start) > 0) continue;
      dropped.add(better(one, other) ? other : one);
    }
  }
  return ordered.filter((one) => !dropped.has(one));
}

/** Brackets that are open between two places. */
function depthAt(text: string, from: number, to: number): number {
  let depth = 0;
  for (const sign of text.slice(from, to).matchAll(/[()]/g)) depth += sign[0] === "(" ? 1 : -1;
  return depth;
}

/** Why what was found keeps no edits. What changes together keeps all of them or none. */
function refusals(ordered: readonly PatternFound[], encoding: Encoding): ReadonlyMap<PatternFound, string> {
  const claimed: Claim[] = [];
  const refused = new Map<PatternFound, string>();
  for (const unit of units(ordered)) {
    const edits = unit.flatMap(({ found }) => found.edits ?? []);
    const why = whyRefused(edits, claimed, encoding);
    if (why !== undefined) for (const one of unit) refused.set(one, why);
    else for (const { start, end } of edits) claimed.splice(firstBehind(claimed, end), 0, { start, end, pattern: unit[0]?.spec.id ?? "" });
  }
  return refused;
}

/** What has edits, by what changes together, in the order of the first place. */
function units(ordered: readonly PatternFound[]): Iterable<readonly PatternFound[]> {
  const found = new Map<unknown, PatternFound[]>();
  for (const one of ordered) {
    const { edits, together } = one.found;
    if (edits === undefined) continue;
    const key = together === undefined ? one : `${one.order} ${together}`;
    const held = found.get(key);
    if (held === undefined) found.set(key, [one]);
    else held.push(one);
  }
  return found.values();
}

/** An edit that an earlier instance keeps. Claims are sorted and do not overlap. */
interface Claim {
  readonly start: number;
  readonly end: number;
  readonly pattern: string;
}

/** Why edits cannot be made: they cannot be written, or they touch those of an earlier instance. */
function whyRefused(edits: readonly TextEdit[], claimed: readonly Claim[], encoding: Encoding): string | undefined {
  for (const { start, end, text } of edits) {
    const reason = unencodableReason(text, encoding);
    if (reason !== undefined) return reason;
    const other = claimed[firstBehind(claimed, end) - 1];
    if (other !== undefined && other.end >= start) return `Its change touches that of an earlier match of \`${other.pattern}\`.`;
  }
  return undefined;
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

/** Shorter ones would be found in every word. */
const fewestCharacters = 4;

/** A template, and what a tool says, may repeat what was matched. */
function withoutSecrets(made: string, { secrets = [] }: Found, { text }: PreparedSource): string {
  let shown = made;
  for (const { start, end } of secrets.filter((span) => span.end - span.start >= fewestCharacters))
    shown = shown.replaceAll(text.slice(start, end), (secret) => maskSecret(secret));
  return shown;
}

function toInstance(
  spec: PatternFound["spec"],
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
  if (found.nothing !== undefined) instance.nothing = found.nothing;
  if (found.action !== undefined) instance.action = found.action;
  if (found.suggestion !== undefined) instance.suggestion = withoutSecrets(found.suggestion, found, source);
  if (found.secrets !== undefined) instance.secret = true;
  if (found.procedure !== undefined) instance.procedure = found.procedure;
  if (spec.guide !== undefined) instance.guide = spec.guide;
  if (spec.step !== undefined) instance.step = spec.step;
  if (section !== undefined) instance.section = section;
  if (found.together !== undefined) instance.together = `${spec.id} ${found.together}`;
  if (found.tool !== undefined) instance.tool = found.tool;
  if (found.rule !== undefined) instance.rule = found.rule;
  if (found.severity !== undefined) instance.severity = found.severity;
  if (found.message !== undefined) instance.message = withoutSecrets(found.message, found, source);
  if (found.help !== undefined) instance.help = found.help;
  if (found.edits !== undefined)
    instance.edits = found.edits.map((edit) => ({ start: offsets.at(edit.start), end: offsets.at(edit.end), text: edit.text }));
  return instance;
}
