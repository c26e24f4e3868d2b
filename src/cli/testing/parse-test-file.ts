import { defined, isList, isObject, own, textOf, type Diagnostic, type Json, type JsonObject } from "../../base/index.ts";
import { didYouMean } from "../codes.ts";
import type { ParsedYaml } from "../world.ts";
import { fileKeys, replyKeys, stepKeys, testKeys, toolReplyKeys, type KeyKind, type TestKeys } from "./test-keys.ts";
import type { CommandReply, ScriptedStep, TestFile, ToolReply, WorkflowTest } from "./workflow-test.ts";

type Path = readonly (string | number)[];
type Complain = (at: Path, message: string) => void;
const statuses = ["completed", "failed", "cancelled", "running"] as const;

/**
 * Reads a test file that YAML understood. Either `tests` holds a list, or the file is one test itself; keys beside `tests` are then
 * defaults of each. Every problem is answered, with its place.
 */
export function parseTestFile(
  path: string,
  parsed: ParsedYaml,
  ownName: string,
): { readonly file?: TestFile; readonly problems: readonly Diagnostic[] } {
  if (parsed.problems.length > 0) return { problems: parsed.problems };
  const problems: Diagnostic[] = [];
  const complain: Complain = (at, message) => {
    const place = parsed.placeOf(at) ?? { file: path, line: 1, column: 1 };
    problems.push({ code: "CLI_TEST_FILE", severity: "error", message, path: at.join("."), place });
  };
  const root = readMap(complain, parsed.value, [], fileKeys);
  const { workflow, tests, ...shared } = root;
  const listed = tests === undefined ? [undefined] : (tests as readonly Json[]);
  const parsedTests = listed.map((entry, index): WorkflowTest => {
    const at: Path = entry === undefined ? [] : ["tests", index];
    const own = entry === undefined ? {} : readMap(complain, entry, at, testKeys);
    return parseTest(complain, { ...shared, ...mergedMaps(shared, own) }, at, index + 1);
  });
  if (listed.length === 0) complain(["tests"], "`tests` is empty.");
  const file: TestFile = { path, workflow: textOf(workflow ?? ownName), tests: parsedTests };
  return problems.length > 0 ? { problems } : { file, problems };
}

/** Maps of a test are laid over those of the file; everything else replaces it. */
function mergedMaps(shared: JsonObject, own: JsonObject): JsonObject {
  const mixed = ["inputs", "answers", "commands", "tools"].flatMap((key) => {
    const [outer, inner] = [shared[key], own[key]];
    return isObject(outer) && isObject(inner) ? [[key, { ...outer, ...inner }] as const] : [];
  });
  return { ...own, ...Object.fromEntries(mixed) };
}

function parseTest(complain: Complain, raw: JsonObject, at: Path, number: number): WorkflowTest {
  const status = textOf(raw["status"] ?? "completed");
  const known = statuses.find((each) => each === status);
  if (known === undefined)
    complain([...at, "status"], `\`status\` is \`${status}\`.${didYouMean(status, statuses)} It is one of ${statuses.join(", ")}.`);
  const { agent, files, folder } = raw;
  if (agent !== undefined && typeof agent !== "string" && !isObject(agent))
    complain([...at, "agent"], "`agent` must be the path of a script, or a map with `turns`.");
  if (files !== undefined && agent === undefined && folder === undefined)
    complain([...at, "files"], "`files` are those of the folder of a test with `agent` or `folder`.");
  return {
    name: textOf(raw["name"] ?? `test ${number}`),
    inputs: mapOf(raw["inputs"]),
    serial: raw["serial"] === true,
    steps: listOf(raw["steps"])?.map((step, index) => parseStep(complain, step, [...at, "steps", index])) ?? [],
    answers: mapOf(raw["answers"]),
    commands: parseReplies(complain, raw["commands"], [...at, "commands"], parseReply),
    tools: parseReplies(complain, raw["tools"], [...at, "tools"], parseToolReply),
    execute: raw["execute"] === true,
    strict: raw["strict"] === true,
    status: known ?? "completed",
    state: mapOf(raw["state"]),
    ...defined({ agent: raw["agent"], folder: raw["folder"] as string | undefined, files: raw["files"] as JsonObject | undefined }),
    ...defined({ error: raw["error"] as string | undefined, messages: listOf(raw["messages"]), ran: listOf(raw["ran"]) }),
  };
}

function parseStep(complain: Complain, raw: Json, at: Path): ScriptedStep {
  const step = typeof raw === "string" ? { step: raw } : readMap(complain, raw, at, stepKeys);
  if (step["step"] === undefined && step["type"] === undefined) complain(at, "An entry of `steps` must name a `step` or a `type`.");
  if (step["answer"] !== undefined && step["fail"] !== undefined) complain(at, "A step has either an `answer` or `fail`.");
  return step;
}

/** Replies by what they reply to; one reply need not be written as a list. */
function parseReplies<T>(
  complain: Complain,
  raw: Json | undefined,
  at: Path,
  parse: (complain: Complain, raw: Json, at: Path) => T,
): Readonly<Record<string, readonly T[]>> {
  const entries = Object.entries(mapOf(raw)).map(([name, held]) => {
    const place = [...at, name];
    if (!isList(held)) return [name, [parse(complain, held, place)]] as const;
    if (held.length === 0) complain(place, "The list of replies is empty.");
    return [name, held.map((reply, index) => parse(complain, reply, [...place, index]))] as const;
  });
  return Object.fromEntries(entries);
}

function parseReply(complain: Complain, raw: Json, at: Path): CommandReply {
  const reply = typeof raw === "string" || raw === null ? { stdout: raw ?? "" } : readMap(complain, raw, at, replyKeys);
  const { stdout = "", stderr = "", exit_code: code = 0, timeout = false } = reply;
  if (!Number.isInteger(code)) complain([...at, "exit_code"], "`exit_code` is not a whole number.");
  return { stdout: textOf(stdout), stderr: textOf(stderr), exitCode: Number(code), timeout: timeout === true };
}

function parseToolReply(complain: Complain, raw: Json, at: Path): ToolReply {
  const { result, error } = readMap(complain, raw, at, toolReplyKeys);
  if ((result === undefined) === (error === undefined)) complain(at, "A tool's reply has either `result` or `error`.");
  return typeof error === "string" ? { error } : { result: result ?? null };
}

function mapOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
}

/** The value as a map whose keys are known and whose values have their kinds; wrong ones are left out and complained about. */
function readMap(complain: Complain, value: unknown, at: Path, keys: TestKeys): JsonObject {
  if (!isObject(value)) {
    complain(at, `${at.length === 0 ? "The file" : `\`${at.join(".")}\``} must be a map.`);
    return {};
  }
  const right: Record<string, Json> = {};
  for (const [key, held] of Object.entries(value)) {
    const kind = own(keys, key)?.kind;
    if (kind === undefined) complain([...at, key], `\`${key}\` is not a key here.${didYouMean(key, Object.keys(keys))}`);
    else if (!kinds[kind].fits(held)) complain([...at, key], `\`${key}\` must be ${kinds[kind].name}.`);
    else right[key] = held;
  }
  return right;
}

const kinds: Readonly<Record<KeyKind, { readonly name: string; readonly fits: (value: Json) => boolean }>> = {
  text: { name: "text", fits: (value) => typeof value === "string" },
  flag: { name: "true or false", fits: (value) => typeof value === "boolean" },
  map: { name: "a map", fits: isObject },
  list: { name: "a list", fits: isList },
  any: { name: "a value", fits: () => true },
};
