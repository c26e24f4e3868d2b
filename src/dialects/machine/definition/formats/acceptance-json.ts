import { isList, isObject, own, type Diagnostic, type Json, type JsonObject } from "../../../../base/index.ts";
import { checksAt, formatCheck, type Check } from "./check-entry.ts";
import {
  keptOf,
  nameOf,
  openJson,
  textAt,
  topFields,
  uniqueIds,
  valueAt,
  withAliases,
  withKept,
  writtenJson,
  wrongType,
  type Fields,
} from "./session-reader.ts";
import { sessionFiles } from "./session-vocabulary.ts";

/** What must hold at the end, and how each is verified. */
export interface AcceptanceFile {
  readonly acceptance_criteria: readonly Criterion[];
  readonly kept: JsonObject;
}

export interface Criterion {
  readonly id: string;
  readonly description: string;
  readonly verify: readonly Check[];
  readonly kept: JsonObject;
}

export interface ReadAcceptance {
  /** Absent when the file is not JSON, or has no list of criteria. */
  readonly acceptance?: AcceptanceFile;
  readonly problems: readonly Diagnostic[];
}

/** Reads any known form of the file and reports what is not as documented. Never throws. */
export function readAcceptance(text: string, file: string = sessionFiles.acceptance): ReadAcceptance {
  const opened = openJson(text, file);
  const { reader } = opened;
  const { problems } = reader;
  const fields = topFields(opened);
  if (fields === undefined) return { problems };
  const top = withAliases(fields, "MACHINE_CRITERION_ALIAS", { criteria: "acceptance_criteria" });
  const list = valueAt(top, "acceptance_criteria");
  if (!isList(list)) {
    reader.error(
      [],
      "MACHINE_MISSING_KEY",
      "`acceptance_criteria` is missing or is not a list.",
      "Write a list of at least one criterion.",
    );
    return { problems };
  }
  const criteria = withUniqueIds(
    top,
    list.flatMap((value, index) => readCriterion(top, value, index) ?? []),
  );
  return { acceptance: { acceptance_criteria: criteria, kept: keptOf(top, ["acceptance_criteria"]) }, problems };
}

function readCriterion(top: Fields, value: Json, index: number): Criterion | undefined {
  const { reader } = top;
  const path = ["acceptance_criteria", index];
  if (!isObject(value)) {
    wrongType(top, path, "a criterion");
    return undefined;
  }
  const fields = { reader, held: withVerify(top, value, path), path };
  const id = textAt(fields, "id")?.trim() ?? "";
  const description = textAt(fields, "description") ?? "";
  const verify = checksAt(fields, "verify", "cmd") ?? [];
  const missing = Object.entries({ id, description: description.trim(), verify }).flatMap(([key, held]) =>
    held.length === 0 ? [key] : [],
  );
  for (const key of missing)
    reader.error([...path, key], "MACHINE_CRITERION_INCOMPLETE", `${nameOf(path)} has no \`${key}\`.`, `Add \`${key}\` to the criterion.`);
  return { id, description, verify, kept: keptOf(fields, ["id", "description", "verify"]) };
}

/** `verify` built from what is there instead: only `commands` are commands, the others are prose unless they say `cmd:`. */
function withVerify({ reader }: Fields, held: JsonObject, path: readonly (string | number)[]): JsonObject {
  if (Object.hasOwn(held, "verify")) return held;
  const used = ["verification", "commands", "expected_result"].filter((key) => Object.hasOwn(held, key) && held[key] !== null);
  if (used.length === 0) return held;
  const names = used.map((key) => `\`${key}\``).join(", ");
  reader.warn(
    path,
    "MACHINE_CRITERION_ALIAS",
    `${nameOf(path)} has ${names}, from which \`verify\` is built.`,
    "Write `verify` as a list of checks.",
  );
  const entries = used.flatMap((key): Json[] => {
    const value = own(held, key) ?? null;
    const list = isList(value) ? value : [value];
    return key === "commands" ? [...list] : list.map((each) => (typeof each === "string" ? asManual(each) : each));
  });
  const rest = Object.entries(held).filter(([key]) => !used.includes(key));
  return { ...Object.fromEntries(rest), verify: entries };
}

function asManual(text: string): string {
  return text.trim() === "" || /^[A-Za-z][\w.-]*:\s/.test(text.trim()) ? text : `manual: ${text}`;
}

function withUniqueIds({ reader }: Fields, criteria: readonly Criterion[]): readonly Criterion[] {
  const ids = uniqueIds(
    criteria.map(({ id }) => id),
    "AC-",
  );
  return criteria.map((criterion, index) => {
    const id = ids[index] ?? criterion.id;
    if (criterion.id !== "" && criterion.id !== id) {
      const message = `The criterion \`${criterion.id}\` is there twice; this one is read as \`${id}\`.`;
      reader.error(["acceptance_criteria", index, "id"], "MACHINE_DUPLICATE_ID", message, "Give each criterion its own id.");
    }
    return { ...criterion, id };
  });
}

/** The documented form: two spaces, a line break at the end, keys of others last. */
export function writeAcceptance({ acceptance_criteria, kept }: AcceptanceFile): string {
  const criteria = acceptance_criteria.map(({ id, description, verify, kept: others }) =>
    withKept({ id, description, verify: verify.map(formatCheck) }, others),
  );
  return writtenJson(withKept({ acceptance_criteria: criteria }, kept));
}
