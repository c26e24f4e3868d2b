import { defined, isObject, nearest, type Diagnostic, type Json, type JsonObject } from "../../../../base/index.ts";
import {
  commonForm,
  extraArtifactKeys,
  extraArtifacts,
  isGiven,
  readComments,
  readFindings,
  type ReviewComment,
  type SecurityFinding,
} from "./role-artifacts.ts";
import { openJson, sessionReader, topFields, Fields } from "./session-reader.ts";
import { sessionRoles, type SessionRole } from "./session-vocabulary.ts";

const outputStatuses = ["OK", "BLOCKED", "FAIL", "NEEDS_INFO", "NEEDS_DECISION"] as const;
type OutputStatus = (typeof outputStatuses)[number];

/** What an agent reports about one dispatch. Keys are those of the wire. */
export interface RoleOutput {
  readonly status: OutputStatus;
  readonly summary: string;
  /** Of a Reviewer only. */
  readonly verdict?: ReviewVerdict;
  readonly artifacts: OutputArtifacts;
  readonly gates: {
    readonly meets_definition_of_done: boolean;
    readonly needs_review: boolean;
    readonly needs_tests: boolean;
    readonly security_concerns: readonly string[];
  };
  readonly next: { readonly recommended_agent: string | null; readonly recommended_task_id: string | null; readonly reason: string };
}

interface OutputArtifacts extends Readonly<Record<TextList, readonly string[]>> {
  readonly review_comments: readonly ReviewComment[];
  readonly findings: readonly SecurityFinding[];
  /** What only some roles give, e.g. `test_results`, and keys of others. */
  readonly extras: JsonObject;
}

const textLists = [
  "files_to_create_or_update",
  "files_changed",
  "tests_added_or_updated",
  "commands_to_run",
  "manual_steps",
  "notes",
] as const;
type TextList = (typeof textLists)[number];
const outputKeys = ["status", "summary", "verdict", "artifacts", "gates", "next"] as const;

interface CheckedOutput {
  /** The word it gives, even where the output does not count. */
  readonly status?: OutputStatus;
  /** Absent when the output does not count. */
  readonly output?: RoleOutput;
  /** All of them at once: errors keep the output from counting, warnings do not. */
  readonly problems: readonly Diagnostic[];
}

/** The words a role may give as its status. */
export function statusesOf(role: SessionRole): readonly OutputStatus[] {
  const own: readonly OutputStatus[] = role === "Researcher" ? ["NEEDS_INFO"] : role === "Security" ? ["NEEDS_DECISION"] : [];
  return ["OK", "BLOCKED", "FAIL", ...own];
}

/** What the machine that the role works in allows beside what every machine does. */
interface OutputRules {
  /** Words for the status, where they are not those of the role. */
  readonly answers?: readonly string[];
  /** Names of roles that may be recommended beside those of `sessionRoles`. */
  readonly roles?: readonly string[];
}

/** Checks what an agent gave back, as a value or as JSON text; a code fence around the text is taken off. Never throws. */
export function checkRoleOutput(role: SessionRole, given: Json, rules: OutputRules = {}): CheckedOutput {
  const opened =
    typeof given === "string"
      ? openJson(/^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/i.exec(given)?.[1] ?? given, "output")
      : { reader: sessionReader("output", () => undefined), value: given };
  const fields = topFields(opened);
  const { problems } = opened.reader;
  if (fields === undefined) return { problems };
  const { status, output } = readOutput(role, fields, rules);
  const counts = output !== undefined && problems.every(({ severity }) => severity !== "error");
  return { ...defined({ status, output: counts ? output : undefined }), problems };
}

function readOutput(role: SessionRole, fields: Fields, { answers, roles = [] }: OutputRules): Omit<CheckedOutput, "problems"> {
  const statuses = outputStatuses.filter((word) => (answers ?? statusesOf(role)).includes(word));
  const status = fields.word("status", statuses);
  isGiven(fields, "status", `one of ${statuses.join(", ")}`);
  const summary = fields.text("summary") ?? "";
  const sentences = summary.split(/[.!?](?:\s+(?=[\p{Lu}\d])|\s*$)/u).filter(Boolean);
  if (isGiven(fields, "summary", "one to three sentences", summary.trim() !== "") && sentences.length > 3)
    fields.warn(["summary"], "MACHINE_OUTPUT_LONG", "has more than three sentences.", "Put details into `artifacts.notes`.");
  reportOnUnknown(fields);
  const artifacts = readArtifacts(role, fields, status);
  const gates = readGates(fields);
  const next = readNext(fields, [...new Set([...roles, ...sessionRoles])]);
  const verdict = role === "Reviewer" ? readVerdict(fields, summary, status) : undefined;
  if (status === undefined) return {};
  const output: RoleOutput = { status, summary, ...defined({ verdict }), artifacts, gates, next };
  reportOnContradictions(role, fields, output);
  return { status, output };
}

/** What to write for a key that is missing or has another type. */
const forms = {
  artifacts: 'a map of lists, `{}` or for example `{"files_changed":["src/a.ts"],"notes":[]}`',
  gates: `a map, for example \`${JSON.stringify(commonForm.gates)}\``,
  next: `a map, for example \`${JSON.stringify(commonForm.next)}\`, with a role or null as \`recommended_agent\``,
};

function reportOnUnknown(fields: Fields): void {
  for (const key of Object.keys(fields.held).filter((each) => !outputKeys.some((known) => known === each))) {
    const [near] = nearest(key.slice(0, 40), outputKeys, 1);
    const fix = near === undefined ? "Put it into `artifacts`, or leave it out." : `Did you mean \`${near}\`?`;
    fields.warn([key], "MACHINE_OUTPUT_UNKNOWN", "has no meaning in an output and is ignored.", fix);
  }
}

function readArtifacts(role: SessionRole, fields: Fields, status: OutputStatus | undefined): OutputArtifacts {
  const held = fields.map("artifacts", forms.artifacts);
  isGiven(fields, "artifacts", forms.artifacts);
  const own = held ?? new Fields(fields.reader, {}, ["artifacts"]);
  const lists = Object.fromEntries(textLists.map((key) => [key, own.texts(key)])) as Record<TextList, readonly string[]>;
  const review_comments = readComments(own);
  const findings = readFindings(own);
  extraArtifacts(role, own, status === "OK");
  const known: readonly string[] = [...textLists, "review_comments", "findings"];
  const extras = own.kept(known);
  const foreign = Object.keys(extras).filter((key) => !extraArtifactKeys.has(key));
  const says = `also holds ${foreign.slice(0, 8).join(", ")}, which is kept.`;
  if (foreign.length > 0) fields.warn(["artifacts"], "MACHINE_OUTPUT_UNKNOWN", says, "Use the documented names.");
  return { ...lists, review_comments, findings, extras };
}

function readGates(fields: Fields): RoleOutput["gates"] {
  const gates = fields.map("gates", forms.gates);
  isGiven(fields, "gates", forms.gates);
  const flag = (key: string): boolean => {
    if (gates !== undefined) isGiven(gates, key, "true or false");
    return gates?.flag(key) ?? false;
  };
  return {
    meets_definition_of_done: flag("meets_definition_of_done"),
    needs_review: flag("needs_review"),
    needs_tests: flag("needs_tests"),
    security_concerns: gates?.texts("security_concerns") ?? [],
  };
}

function readNext(fields: Fields, roles: readonly string[]): RoleOutput["next"] {
  const next = fields.map("next", forms.next);
  isGiven(fields, "next", forms.next);
  if (next !== undefined) isGiven(next, "reason", "why");
  return {
    recommended_agent: next?.word("recommended_agent", [...roles, null]) ?? null,
    recommended_task_id: next?.text("recommended_task_id") ?? null,
    reason: next?.text("reason") ?? "",
  };
}

function readVerdict(fields: Fields, summary: string, status: OutputStatus | undefined): ReviewVerdict | undefined {
  const verdict = verdictOf(fields.value("verdict"), summary);
  const words = reviewVerdicts.map((word) => `\`${word}\``).join(", ");
  if (verdict === undefined && status === "OK")
    fields.reader.error(["verdict"], "MACHINE_OUTPUT_VERDICT", "The review says no verdict.", `Give \`verdict\` as one of ${words}.`);
  return verdict ?? (status === "BLOCKED" ? "NEEDS FIXES" : undefined);
}

/** Outputs that say two things at once: which of them is meant cannot be guessed. */
function reportOnContradictions(role: SessionRole, { reader }: Fields, output: RoleOutput): void {
  const { status, verdict, artifacts } = output;
  const contradict = (message: string, fix: string): void => reader.error(["status"], "MACHINE_OUTPUT_CONTRADICTS", message, fix);
  if (role === "Reviewer") {
    if (status === "OK" && verdict === "NEEDS FIXES") contradict("The review is `OK` but needs fixes.", "Give `BLOCKED` as the status.");
    if (status === "BLOCKED" && verdict !== "NEEDS FIXES")
      contradict(`The review is \`BLOCKED\` but says ${verdict}.`, "Give `NEEDS FIXES` as the verdict.");
    const grave = artifacts.review_comments.find(
      ({ severity, category }) => severity === "blocker" || (severity === "major" && category.toLowerCase() === "security"),
    );
    if (status === "OK" && grave !== undefined)
      contradict(`The review is \`OK\` but has a ${grave.severity} comment: ${grave.message}`, "Give `BLOCKED` as the status.");
  }
  if (role === "QA" && status === "OK") {
    const results = artifacts.extras["test_results"];
    const failed = isObject(results) ? results["failed"] : undefined;
    if (typeof failed === "number" && failed > 0)
      contradict(`The test report is \`OK\` but ${failed} ${failed === 1 ? "test" : "tests"} failed.`, "Give `BLOCKED` as the status.");
  }
  if (role === "Security") reportOnSeverities(output, contradict);
}

function reportOnSeverities({ status, artifacts }: RoleOutput, contradict: (message: string, fix: string) => void): void {
  const has = (...words: readonly string[]): boolean => artifacts.findings.some(({ severity }) => words.includes(severity));
  if ((status === "OK" || status === "NEEDS_DECISION") && has("high", "critical"))
    contradict(`The audit is \`${status}\` but has a high or critical finding.`, "Give `BLOCKED` as the status.");
  else if (status === "OK" && has("medium"))
    contradict("The audit is `OK` but has a medium finding.", "Give `NEEDS_DECISION` as the status, so that a person decides.");
  if (status === "NEEDS_DECISION" && artifacts.findings.length === 0)
    contradict("The audit needs a decision but has no finding to decide about.", "List the finding in `artifacts.findings`.");
}

export const reviewVerdicts = ["PASS", "PASS WITH NOTES", "NEEDS FIXES"] as const;
export type ReviewVerdict = (typeof reviewVerdicts)[number];

/**
 * The verdict of a review: what `verdict` says, else the phrase in capitals in the summary. Where a summary holds several, the strictest
 * counts; a `PASS` that is denied is none. Undefined when nothing says it.
 */
export function verdictOf(verdict: unknown, summary: string): ReviewVerdict | undefined {
  if (typeof verdict === "string") {
    const word = verdict
      .trim()
      .toUpperCase()
      .replace(/[\s_-]+/g, " ");
    return reviewVerdicts.find((each) => each === word);
  }
  const text = summary.replace(/\s+/g, " ");
  const denied = /\b(?:not|never|cannot|can't|no|without)\b(?: \w+){0,2} (?:an? |the )?PASS\b/i;
  if (/\bNEEDS[ _-]FIXES\b/.test(text)) return "NEEDS FIXES";
  if (denied.test(text)) return undefined;
  if (/\bPASS[ _-]WITH[ _-]NOTES\b/.test(text)) return "PASS WITH NOTES";
  return /\bPASS\b/.test(text) ? "PASS" : undefined;
}
