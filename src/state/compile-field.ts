import { splitPath } from "../base/index.ts";
import type { ComputedField } from "../program/index.ts";
import { analyse } from "./analyse.ts";
import { prepareCode } from "./run-script.ts";
import type { Read } from "./runner.ts";

/** A computed field ready to run: what it depends on, and one function for its transformation and validation. */
export interface CompiledField {
  readonly field: ComputedField;
  readonly from: readonly (readonly string[])[];
  /** Names and properties of name spaces that the code mentions. */
  readonly reads: readonly Read[];
  /** Answers `[value, valid]`. */
  readonly code: string;
  readonly usesNow: boolean;
  readonly usesUuid: boolean;
  readonly problem?: string;
}

const known = new WeakMap<ComputedField, Map<string, CompiledField>>();

/** `spaces` as for `prepareCode`. */
export function compileField(field: ComputedField, spaces: readonly string[]): CompiledField {
  const variants = known.get(field) ?? new Map<string, CompiledField>();
  known.set(field, variants);
  const key = spaces.join(",");
  const made = variants.get(key) ?? compile(field, spaces);
  if (variants.size > 20) variants.clear();
  variants.set(key, made);
  return made;
}

function compile(field: ComputedField, spaces: readonly string[]): CompiledField {
  const from = field.from.map((path) => splitPath(path) ?? [path]);
  const transform = analyse(field.transform);
  const validate = field.validate === undefined ? undefined : analyse(field.validate);
  const idle = { field, from, reads: [], code: "", usesNow: false, usesUuid: false };
  if ("error" in transform) return { ...idle, problem: transform.error.message };
  if (validate !== undefined && "error" in validate) return { ...idle, problem: validate.error.message };
  const made = prepareCode(transform, spaces);
  const check = validate === undefined ? undefined : prepareCode(validate, spaces);
  const reads = new Map(
    [...made.reads, ...(check?.reads ?? [])].filter(({ name }) => name !== "input" && name !== "output").map((read) => [read.bind, read]),
  );
  return { field, from, reads: [...reads.values()], code: codeOf(field, made, check), usesNow: made.usesNow, usesUuid: made.usesUuid };
}

type Prepared = ReturnType<typeof prepareCode>;

/** Each source is a value of its own, so that a list of two large ones is not a new large value every time. */
export function sourceName(index: number): string {
  return `__waymark_in${index}`;
}

function codeOf(field: ComputedField, made: Prepared, check: Prepared | undefined): string {
  const sources = field.from.map((_path, index) => sourceName(index));
  const input = field.single ? sources[0] : field.from.length === 0 ? "null" : `[${sources.join(",")}]`;
  return `const input=${input};
const __waymark_t=(function(){${made.code}\n})();
if(__waymark_t instanceof Promise)return __waymark_t;
const __waymark_out=${made.fallsBack ? "__waymark_t[0]" : "__waymark_t"};
const __waymark_v=${check === undefined ? "true" : `(function(output){${check.code}\n})(__waymark_out)`};
return [__waymark_out,!!${check?.fallsBack === true ? "__waymark_v[0]" : "__waymark_v"}];`;
}
