import { isList, isObject, own, type Json } from "../../../../base/index.ts";
import type { DocumentPath } from "../../../../source/index.ts";
import { shown, type Fields } from "./session-reader.ts";

/** One check: a command that is run, or something a person or role looks at. */
export interface Check {
  readonly kind: "cmd" | "manual";
  readonly text: string;
  /** What kind of look it is, e.g. `unit`; only of manual checks. */
  readonly label?: string;
}

/** What a check without a prefix is: a command in `acceptance.json`, a manual check in `tasks.yaml`. */
export type BareCheck = Check["kind"];

const prefixed = /^([A-Za-z][\w.-]*):\s+(\S.*)$/s;
const labelled = /^\[([A-Za-z][\w.-]*)\]\s+(\S.*)$/s;

/** `cmd: <command>` or `manual: <what>`; a label is in brackets. */
export function formatCheck({ kind, text, label }: Check): string {
  return kind === "cmd" ? `cmd: ${text}` : `manual: ${label === undefined ? "" : `[${label}] `}${text}`;
}

/** A check from a text of the documented form; undefined for an empty one. Any other prefix is the label of a manual check. */
export function parseCheck(written: string, bare: BareCheck): Check | undefined {
  const text = written.trim();
  if (text === "" || /^(?:cmd|manual):$/i.test(text)) return undefined;
  const [, prefix, rest = ""] = prefixed.exec(text) ?? [];
  if (prefix === undefined) return { kind: bare, text };
  const word = prefix.toLowerCase();
  if (word === "cmd") return { kind: "cmd", text: rest };
  if (word !== "manual") return { kind: "manual", text: rest, label: prefix };
  const [, label, what = ""] = labelled.exec(rest) ?? [];
  return label === undefined ? { kind: "manual", text: rest } : { kind: "manual", text: what, label };
}

/** Checks of a list under a key, in any known form; undefined when the key is missing. */
export function checksAt(fields: Fields, key: string, bare: BareCheck): readonly Check[] | undefined {
  const value = fields.value(key);
  if (value === undefined) return undefined;
  if (isList(value)) return value.flatMap((each, index) => readEntry(fields, each, [key, index], bare));
  if (typeof value !== "string" && !isObject(value)) {
    fields.wrongType([key], "a list of checks");
    return undefined;
  }
  fields.warn([key], "MACHINE_LIST_FORM", "is a single check where a list is expected.", "Write a list.");
  return readEntry(fields, value, [key], bare);
}

function readEntry(fields: Fields, value: Json, steps: DocumentPath, bare: BareCheck): readonly Check[] {
  if (typeof value !== "string" && !isObject(value)) {
    fields.wrongType(steps, "a check, like `cmd: npm test`");
    return [];
  }
  const checks = typeof value === "string" ? one(parseCheck(value, bare)) : fromMap(value);
  if (checks.length === 0) {
    fields.error(steps, "MACHINE_CHECK_EMPTY", "names nothing to check and is left out.", "Write `cmd: <command>` or `manual: <what>`.");
    return [];
  }
  const forms = checks.map((check) => JSON.stringify(formatCheck(check))).join(", ");
  const read = `it is read as ${shown(forms)}.`;
  if (isObject(value)) fields.warn(steps, "MACHINE_CHECK_MAP", `is a map where a text is expected; ${read}`, `Write ${forms} in quotes.`);
  else if (!/^\s*(?:cmd|manual):\s/.test(value) && (bare !== "cmd" || prefixed.test(value.trim())))
    fields.warn(steps, "MACHINE_CHECK_PREFIX", `has neither \`cmd:\` nor \`manual:\`; ${read}`, `Write ${forms}.`);
  return checks;
}

/** `{cmd: ...}`, `{manual: ...}`, `{unit: ...}` and `{id, verify}`; a map of another form becomes a manual check that shows it. */
function fromMap(map: { readonly [key: string]: Json }): readonly Check[] {
  const texts = (value: Json | undefined): string[] => (isList(value) ? value : [value]).flatMap((each) => plain(each) ?? []);
  for (const key of ["cmd", "command", "commands"])
    if (Object.hasOwn(map, key)) return texts(map[key]).map((text) => ({ kind: "cmd", text }));
  if (Object.hasOwn(map, "manual")) return texts(map["manual"]).flatMap((text) => one(parseCheck(`manual: ${text}`, "manual")));
  const id = plain(own(map, "id"));
  if (Object.hasOwn(map, "verify"))
    return texts(map["verify"]).flatMap((text) => one(parseCheck(text, "cmd")).map((check) => withLabel(check, id)));
  const [[label, value] = ["", null], ...others] = Object.entries(map);
  const text = plain(value);
  if (others.length > 0) return [{ kind: "manual", text: JSON.stringify(map) }];
  if (text === undefined) return [];
  return one(parseCheck(`${label}: ${text}`, "manual"));
}

function withLabel(check: Check, label: string | undefined): Check {
  const usable = label !== undefined && /^[A-Za-z][\w.-]*$/.test(label) && check.kind === "manual" && check.label === undefined;
  return usable ? { ...check, label } : check;
}

function plain(value: Json | undefined): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function one<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
