import { defined, isList, isObject, textOf, type Diagnostic, type Json, type JsonObject } from "../../base/index.ts";
import { didYouMean } from "../codes.ts";
import type { ParsedYaml } from "../world.ts";
import { fileKeys, replyKeys, stepKeys, testKeys, toolReplyKeys, type KeyKind, type TestKeys } from "./test-keys.ts";
import type { CommandReply, ScriptedStep, TestFile, ToolReply, WorkflowTest } from "./workflow-test.ts";

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
  const file: TestFile = { path, workflow: textOf(workflow ?? ownName), tests: parsedTests };
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
  const status = textOf(raw["status"] ?? "completed");
  const known = statuses.find((each) => each === status);
  if (known === undefined)
    reader.complain([...at, "status"], `\`status\` is \`${status}\`.${didYouMean(status, statuses)} It is one of ${statuses.join(", ")}.`);
  return {
    name: textOf(raw["name"] ?? `test ${number}`),
    inputs: mapOf(raw["inputs"]),
    serial: raw["serial"] === true,
    steps: listOf(raw["steps"])?.map((step, index) => parseStep(reader, step, [...at, "steps", index])) ?? [],
    answers: mapOf(raw["answers"]),
    commands: parseReplies(reader, raw["commands"], [...at, "commands"], parseReply),
    tools: parseReplies(reader, raw["tools"], [...at, "tools"], parseToolReply),
    execute: raw["execute"] === true,
    strict: raw["strict"] === true,
    status: known ?? "completed",
    state: mapOf(raw["state"]),
    ...defined({ error: raw["error"] as string | undefined, messages: listOf(raw["messages"]), ran: listOf(raw["ran"]) }),
  };
}

function parseStep(reader: Reader, raw: Json, at: Path): ScriptedStep {
  const step = typeof raw === "string" ? { step: raw } : reader.map(raw, at, stepKeys);
  if (step["step"] === undefined && step["type"] === undefined) reader.complain(at, "An entry of `steps` must name a `step` or a `type`.");
  if (step["answer"] !== undefined && step["fail"] !== undefined) reader.complain(at, "A step has either an `answer` or `fail`.");
  return step;
}

/** Replies by what they reply to; one reply need not be written as a list. */
function parseReplies<T>(
  reader: Reader,
  raw: Json | undefined,
  at: Path,
  parse: (reader: Reader, raw: Json, at: Path) => T,
): Readonly<Record<string, readonly T[]>> {
  const entries = Object.entries(mapOf(raw)).map(([name, held]) => {
    const place = [...at, name];
    if (!isList(held)) return [name, [parse(reader, held, place)]] as const;
    if (held.length === 0) reader.complain(place, "The list of replies is empty.");
    return [name, held.map((reply, index) => parse(reader, reply, [...place, index]))] as const;
  });
  return Object.fromEntries(entries);
}

function parseReply(reader: Reader, raw: Json, at: Path): CommandReply {
  const reply = typeof raw === "string" || raw === null ? { stdout: raw ?? "" } : reader.map(raw, at, replyKeys);
  const { stdout = "", stderr = "", exit_code: code = 0, timeout = false } = reply;
  if (!Number.isInteger(code)) reader.complain([...at, "exit_code"], "`exit_code` is not a whole number.");
  return { stdout: textOf(stdout), stderr: textOf(stderr), exitCode: Number(code), timeout: timeout === true };
}

function parseToolReply(reader: Reader, raw: Json, at: Path): ToolReply {
  const { result, error } = reader.map(raw, at, toolReplyKeys);
  if ((result === undefined) === (error === undefined)) reader.complain(at, "A tool's reply has either `result` or `error`.");
  return typeof error === "string" ? { error } : { result: result ?? null };
}

function mapOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
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
      else if (!kinds[kind].fits(held)) this.complain([...at, key], `\`${key}\` must be ${kinds[kind].name}.`);
      else right[key] = held;
    }
    return right;
  }

  complain(at: Path, message: string): void {
    const place = this.#parsed.placeOf(at) ?? { file: this.#file, line: 1, column: 1 };
    this.problems.push({ code: "CLI_TEST_FILE", severity: "error", message, path: at.join("."), place });
  }
}

const kinds: Readonly<Record<KeyKind, { readonly name: string; readonly fits: (value: Json) => boolean }>> = {
  text: { name: "text", fits: (value) => typeof value === "string" },
  flag: { name: "true or false", fits: (value) => typeof value === "boolean" },
  map: { name: "a map", fits: isObject },
  list: { name: "a list", fits: isList },
  any: { name: "a value", fits: () => true },
};
