import type { ArgumentShape, PatternSpec } from "../../ports/index.ts";
import { needlesOf } from "./needles-of.ts";
import { parseRegex, type ParsedRegex } from "./parse-regex.ts";
import { slowOn } from "./slow-regex.ts";
import { parseTemplate, type Template } from "./template.ts";

/** A pattern of regular expressions, ready to run. */
export interface RegexPattern {
  readonly spec: PatternSpec;
  /** With `g`: each use begins at 0 and ends before the next one. */
  readonly regex: RegExp;
  readonly needles: readonly string[] | undefined;
  readonly exclude: RegExp | undefined;
  readonly rules: readonly { readonly name: string; readonly action: string; readonly auto: boolean; readonly regex: RegExp }[];
  readonly templates: ReadonlyMap<string, { readonly template: Template; readonly review: boolean }>;
  readonly shapes: readonly { readonly place: number; readonly shape: ArgumentShape }[];
  /** The match is widened to the call it is about. */
  readonly aboutCall: boolean;
}

const shapes: readonly string[] = ["string", "number", "name", "call", "member", "expression", "any"] satisfies ArgumentShape[];
const parts: readonly string[] = ["all", "code", "comments", "strings"];

/** The pattern, unless it has a problem; all problems are reported. */
export function compilePattern(spec: PatternSpec, report: Report): RegexPattern | undefined {
  let isSound = true;
  const bad: Report = (code, message) => {
    isSound = false;
    report(code, message);
  };
  if (spec.regex === undefined || spec.regex === "") {
    bad("SCAN_BAD_PATTERN", `Pattern \`${spec.id}\` has neither a regular expression nor a finder.`);
    return undefined;
  }
  const regex = (role: string, source: string): CheckedRegex | undefined =>
    compileRegex(`The ${role} of pattern \`${spec.id}\``, source, spec.flags ?? "", bad);
  const main = regex("regular expression", spec.regex);
  const exclude = (spec.exclude ?? "") === "" ? undefined : regex("exclude", spec.exclude ?? "");
  const rules = spec.rules.flatMap(({ name, pattern, action, auto }) => {
    const compiled = regex(`rule \`${name}\``, pattern);
    return compiled === undefined ? [] : [{ name, action, auto, regex: compiled.regex }];
  });
  checkOptions(spec, bad);
  const templates = compileTemplates(spec, main?.parsed.groups ?? [], bad);
  if (main === undefined || !isSound) return undefined;
  const used = [...templates.values()].map(({ template }) => template);
  return {
    spec,
    regex: new RegExp(
      spec.regex,
      `${main.flags.replace("d", "")}g${spec.secret === true || used.some(({ needsGroups }) => needsGroups) ? "d" : ""}`,
    ),
    needles: needlesOf(main.parsed, main.flags),
    exclude: exclude?.regex,
    rules,
    templates,
    shapes: Object.entries(spec.arguments?.shapes ?? {}).map(([place, shape]) => ({ place: Number(place), shape })),
    aboutCall: spec.arguments !== undefined || used.some(({ needsCall }) => needsCall),
  };
}

function checkOptions(spec: PatternSpec, bad: Report): void {
  const where = `Pattern \`${spec.id}\``;
  if (spec.in !== undefined && !parts.includes(spec.in)) {
    bad("SCAN_BAD_PATTERN", `${where} looks in \`${spec.in}\`, which is not one of ${parts.join(", ")}.`);
  }
  const { min = 0, max = Infinity, shapes: wanted = {} } = spec.arguments ?? {};
  if (min < 0 || min > max) bad("SCAN_BAD_PATTERN", `${where} asks for ${min} to ${max} arguments, which no call can have.`);
  for (const [place, shape] of Object.entries(wanted)) {
    if (!/^\d{1,3}$/.test(place)) bad("SCAN_BAD_PATTERN", `${where} names the argument \`${place}\`; arguments are counted from 0.`);
    if (!shapes.includes(shape))
      bad("SCAN_BAD_PATTERN", `${where} asks for the shape \`${shape}\`, which is not one of ${shapes.join(", ")}.`);
  }
}

function compileTemplates(spec: PatternSpec, groups: readonly string[], bad: Report): RegexPattern["templates"] {
  const types = spec.rules.length === 0 ? [spec.id] : [...spec.rules.map(({ name }) => name), "other"];
  const templates = new Map<string, { template: Template; review: boolean }>();
  for (const { type, template: text, review } of spec.transformations) {
    const where = `The transformation of pattern \`${spec.id}\` for \`${type}\``;
    const { template, unknown } = parseTemplate(text, groups);
    for (const name of unknown) bad("SCAN_BAD_TEMPLATE", `${where} uses \`{{${name}}}\`, which nothing fills.`);
    if (!types.includes(type)) bad("SCAN_BAD_TEMPLATE", `${where} can never apply: the types are ${types.join(", ")}.`);
    if (templates.has(type)) bad("SCAN_BAD_TEMPLATE", `${where} is given twice.`);
    templates.set(type, { template, review });
  }
  return templates;
}

/** Takes note of a problem with one pattern. */
export type Report = (code: string, message: string) => void;

/** Accepted by the engine and not known to be endless; without state, since it has neither `g` nor `y`. */
interface CheckedRegex {
  readonly regex: RegExp;
  readonly parsed: ParsedRegex;
  readonly flags: string;
}

/** `owner` begins the message: `The exclude of pattern ...`. Of the flags that the author wrote, `g` and `y` are removed. */
export function compileRegex(owner: string, source: string, written: string, report: Report): CheckedRegex | undefined {
  const flags = [...new Set(written)].filter((flag) => flag !== "g" && flag !== "y").join("");
  try {
    const regex = new RegExp(source, flags);
    const parsed = parseRegex(source, flags);
    const character = slowOn(parsed, flags);
    if (character === undefined) return { regex, parsed, flags };
    const shown = JSON.stringify(character).slice(1, -1);
    const message = `${owner} would try without end on a long run of \`${shown}\`: a repetition in \`${source}\` matches it in many ways.`;
    report("SCAN_SLOW_PATTERN", message);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error);
    report("SCAN_BAD_PATTERN", `${owner} does not compile: ${reason}.`);
  }
  return undefined;
}
