import { isList, own, type Diagnostic, type Json, type JsonObject } from "../../../../base/index.ts";
import { checksAt, formatCheck, type Check } from "./check-entry.ts";
import { nameOf, openJson, topFields, withKept, withUniqueIds, writtenJson, Fields } from "./session-reader.ts";
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
  const { problems } = opened.reader;
  const fields = topFields(opened);
  if (fields === undefined) return { problems };
  const top = fields.withAliases("MACHINE_CRITERION_ALIAS", { criteria: "acceptance_criteria" });
  if (!isList(top.value("acceptance_criteria"))) {
    const message = "`acceptance_criteria` is missing or is not a list.";
    opened.reader.error([], "MACHINE_MISSING_KEY", message, "Write a list of at least one criterion.");
    return { problems };
  }
  const read = top.maps("acceptance_criteria", "a criterion", readCriterion);
  const criteria = withUniqueIds(top, read, { key: "acceptance_criteria", what: "criterion", prefix: "AC-" });
  return { acceptance: { acceptance_criteria: criteria, kept: top.kept(["acceptance_criteria"]) }, problems };
}

function readCriterion(entry: Fields): Criterion {
  const fields = new Fields(entry.reader, withVerify(entry), entry.path);
  const id = fields.text("id")?.trim() ?? "";
  const description = fields.text("description") ?? "";
  const verify = checksAt(fields, "verify", "cmd") ?? [];
  for (const [key, held] of Object.entries({ id, description: description.trim(), verify }))
    if (held.length === 0)
      fields.reader.error(
        [...fields.path, key],
        "MACHINE_CRITERION_INCOMPLETE",
        `${nameOf(fields.path)} has no \`${key}\`.`,
        `Add \`${key}\` to the criterion.`,
      );
  return { id, description, verify, kept: fields.kept(["id", "description", "verify"]) };
}

/** `verify` built from what is there instead: only `commands` are commands, the others are prose unless they say `cmd:`. */
function withVerify(entry: Fields): JsonObject {
  const { held } = entry;
  if (Object.hasOwn(held, "verify")) return held;
  const used = ["verification", "commands", "expected_result"].filter((key) => Object.hasOwn(held, key) && held[key] !== null);
  if (used.length === 0) return held;
  const names = used.map((key) => `\`${key}\``).join(", ");
  entry.warn([], "MACHINE_CRITERION_ALIAS", `has ${names}, from which \`verify\` is built.`, "Write `verify` as a list of checks.");
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

/** The documented form: two spaces, a line break at the end, keys of others last. */
export function writeAcceptance({ acceptance_criteria, kept }: AcceptanceFile): string {
  const criteria = acceptance_criteria.map(({ id, description, verify, kept: others }) =>
    withKept({ id, description, verify: verify.map(formatCheck) }, others),
  );
  return writtenJson(withKept({ acceptance_criteria: criteria }, kept));
}
