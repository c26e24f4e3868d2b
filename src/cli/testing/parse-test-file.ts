import { isObject, textOf, type Diagnostic, type Json, type JsonObject } from "../../base/index.ts";
import { didYouMean } from "../codes.ts";
import type { ParsedYaml } from "../world.ts";
import { fileKeys, replyKeys, stepKeys, testKeys, toolReplyKeys, type KeyKind, type TestKeys } from "./test-keys.ts";
import type { CommandReply, ScriptedCommand, ScriptedStep, TestFile, ToolReply, WorkflowTest } from "./workflow-test.ts";

type Path = readonly (string | number)[];
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
  const reader = new Reader(path, parsed);
  const root = reader.map(parsed.value, [], fileKeys);
  const { workflow, tests, ...shared } = root;
  const listed = tests === undefined ? [undefined] : (tests as readonly Json[]);
  const parsedTests = listed.map((entry, index): WorkflowTest => {
    const at: Path = entry === undefined ? [] : ["tests", index];
    const own = entry === undefined ? {} : reader.map(entry, at, testKeys);
    return parseTest(reader, { ...shared, ...mergedMaps(shared, own) }, at, index + 1);
  });
  if (listed.length === 0) reader.complain(["tests"], "`tests` is empty.");
  const file: TestFile = { path, workflow: typeof workflow === "string" ? workflow : ownName, tests: parsedTests };
  return reader.problems.length > 0 ? { problems: reader.problems } : { file, problems: [] };
}

/** Maps of a test are laid over those of the file; everything else replaces it. */
function mergedMaps(shared: JsonObject, own: JsonObject): JsonObject {
  const mixed = ["inputs", "answers", "commands", "tools"].flatMap((key) => {
    const [outer, inner] = [shared[key], own[key]];
    return isObject(outer) && isObject(inner) ? [[key, { ...outer, ...inner }] as const] : [];
  });
  return { ...own, ...Object.fromEntries(mixed) };
}

function parseTest(reader: Reader, raw: JsonObject, at: Path, number: number): WorkflowTest {
  const status = raw["status"] ?? "completed";
  if (!statuses.some((known) => known === status)) {
    reader.complain(
      [...at, "status"],
      `\`status\` is \`${textOf(status)}\`.${didYouMean(textOf(status), statuses)} It is one of ${statuses.join(", ")}.`,
    );
  }
  return {
    name: typeof raw["name"] === "string" ? raw["name"] : `test ${number}`,
    inputs: mapOf(raw["inputs"]),
    serial: raw["serial"] === true,
    steps: listOf(raw["steps"]).map((step, index) => parseStep(reader, step, [...at, "steps", index])),
    answers: mapOf(raw["answers"]),
    commands: Object.entries(mapOf(raw["commands"])).map(([match, reply]) =>
      parseCommand(reader, match, reply, [...at, "commands", match]),
    ),
    tools: Object.fromEntries(
      Object.entries(mapOf(raw["tools"])).map(([method, reply]) => [method, parseTool(reader, reply, [...at, "tools", method])]),
    ),
    execute: raw["execute"] === true,
    strict: raw["strict"] === true,
    status: status as WorkflowTest["status"],
    state: mapOf(raw["state"]),
    ...(typeof raw["error"] === "string" ? { error: raw["error"] } : {}),
    ...(raw["messages"] === undefined ? {} : { messages: listOf(raw["messages"]) }),
    ...(raw["ran"] === undefined ? {} : { ran: listOf(raw["ran"]) }),
  };
}

function parseStep(reader: Reader, raw: Json, at: Path): ScriptedStep {
  const step = typeof raw === "string" ? { step: raw } : reader.map(raw, at, stepKeys);
  if (step["step"] === undefined && step["type"] === undefined) reader.complain(at, "An entry of `steps` must name a `step` or a `type`.");
  if (step["answer"] !== undefined && step["fail"] !== undefined) reader.complain(at, "A step has either an `answer` or `fail`.");
  return step;
}

function parseCommand(reader: Reader, match: string, raw: Json, at: Path): ScriptedCommand {
  const replies = Array.isArray(raw) ? raw : [raw];
  if (replies.length === 0) reader.complain(at, "The list of replies is empty.");
  return { match, replies: replies.map((reply: Json, index) => parseReply(reader, reply, Array.isArray(raw) ? [...at, index] : at)) };
}

function parseReply(reader: Reader, raw: Json, at: Path): CommandReply {
  if (typeof raw === "string" || raw === null) return { stdout: raw ?? "", stderr: "", exitCode: 0, timeout: false };
  const { stdout, stderr, exit_code: code, timeout } = reader.map(raw, at, replyKeys);
  if (code !== undefined && !Number.isInteger(code)) reader.complain([...at, "exit_code"], "`exit_code` is not a whole number.");
  return {
    stdout: textOf(stdout ?? ""),
    stderr: textOf(stderr ?? ""),
    exitCode: typeof code === "number" ? code : 0,
    timeout: timeout === true,
  };
}

function parseTool(reader: Reader, raw: Json, at: Path): readonly ToolReply[] {
  const replies = Array.isArray(raw) ? raw : [raw];
  return replies.map((reply: Json, index): ToolReply => {
    const place = Array.isArray(raw) ? [...at, index] : at;
    const { result, error } = reader.map(reply, place, toolReplyKeys);
    if ((result === undefined) === (error === undefined)) reader.complain(place, "A tool's reply has either `result` or `error`.");
    return typeof error === "string" ? { error } : { result: result ?? null };
  });
}

function mapOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

class Reader {
  readonly problems: Diagnostic[] = [];
  readonly #file: string;
  readonly #parsed: ParsedYaml;

  constructor(file: string, parsed: ParsedYaml) {
    this.#file = file;
    this.#parsed = parsed;
  }

  /** The value as a map whose keys are known and whose values have their kinds; wrong ones are left out and complained about. */
  map(value: unknown, at: Path, keys: TestKeys): JsonObject {
    if (!isObject(value)) {
      this.complain(at, `${at.length === 0 ? "The file" : `\`${at.join(".")}\``} must be a map.`);
      return {};
    }
    const right: Record<string, Json> = {};
    for (const [key, held] of Object.entries(value)) {
      const kind = Object.hasOwn(keys, key) ? keys[key]?.kind : undefined;
      if (kind === undefined) this.complain([...at, key], `\`${key}\` is not a key here.${didYouMean(key, Object.keys(keys))}`);
      else if (!fits(held, kind)) this.complain([...at, key], `\`${key}\` must be ${kindNames[kind]}.`);
      else right[key] = held;
    }
    return right;
  }

  complain(at: Path, message: string): void {
    const place = this.#parsed.placeOf(at) ?? { file: this.#file, line: 1, column: 1 };
    this.problems.push({ code: "CLI_TEST_FILE", severity: "error", message, path: at.join("."), place });
  }
}

const kindNames: Readonly<Record<KeyKind, string>> = { text: "text", flag: "true or false", map: "a map", list: "a list", any: "a value" };

function fits(value: unknown, kind: KeyKind): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "map":
      return isObject(value);
    case "list":
      return Array.isArray(value);
    case "any":
      return value !== undefined;
  }
}
