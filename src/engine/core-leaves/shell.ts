import { asSentence, beginningOf, endOf, textOf, type Json, type JsonObject } from "../../base/index.ts";
import type { Effect, Outcome } from "../../kernel/index.ts";
import type { CommandOutcome, Store } from "../../ports/index.ts";
import { commandClaim } from "../command-claim.ts";
import type { Performed } from "../draft.ts";
import type { EffectJob, Settle } from "../runtime.ts";
import { isCheck, isFinal } from "./task.ts";

type LargeOutput = {
  readonly large: true;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly preview: string;
};

/**
 * Runs a command in the folder of the run. What it printed beyond the limit is kept when its end is recorded, and so is the error output that
 * its message cannot hold. `retry_on` as of tasks.
 */
export async function performShell({
  engine,
  handle,
  effect,
  signal,
  folder,
}: EffectJob<unknown>): Promise<Performed | Settle | undefined> {
  const { host, settings, store } = engine;
  const { command, cwd: asked, env, output_format: given, shell } = effect.args;
  const cwd = typeof asked === "string" ? workspaceFolder(folder, asked) : folder;
  if (cwd === undefined) {
    const message = `\`${effect.step}\` was not started: its folder \`${textOf(asked)}\` is outside the workspace.`;
    return { outcome: { ok: false, code: "COMMAND_NOT_STARTED", message } };
  }
  const outcome = await host.commands.run({
    command: textOf(command),
    cwd,
    signal,
    claim: commandClaim(engine, handle, effect),
    timeoutMs: effect.timeoutMs ?? settings.commandTimeoutMs,
    keepBytes: settings.commandOutputBytes,
    ...(shell === "bash" ? { shell } : {}),
    ...(env === undefined || env === null ? {} : { env: textMap(env as JsonObject) }),
  });
  if (outcome.ended === "cancelled") return undefined;
  const format = typeof given === "string" ? given : "text";
  let large: LargeOutput | undefined;
  return async () => {
    if (outcome.stdout.file !== undefined) large ??= await keep(store, outcome.stdout.file, outcome.stdout.text);
    const settled = await outcomeOf(store, effect, outcome, { large, format });
    const output = large === undefined ? {} : { output: { $blob: large.sha256, bytes: large.bytes } };
    const errors = await keepErrors(store, settled, outcome.stderr);
    const facts = { ...output, ...errors?.facts };
    return { outcome: errors?.outcome ?? settled, ...(Object.keys(facts).length === 0 ? {} : { facts }) };
  };
}

/**
 * The folder a step asks to run in, as an absolute path; undefined when it leads out of the workspace. By names alone: a link
 * inside the workspace is the project's own.
 */
function workspaceFolder(workspace: string, asked: string): string | undefined {
  const way = asked.replaceAll("\\", "/");
  const absolute = /^(?:[A-Za-z]:|\/)/.test(way);
  if (absolute && way !== workspace && !way.startsWith(`${workspace}/`)) return undefined;
  const names: string[] = [];
  for (const name of (absolute ? way.slice(workspace.length) : way).split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return [workspace, ...names].join("/");
}

async function outcomeOf(
  store: Store,
  effect: Effect,
  outcome: CommandOutcome,
  { large, format }: { readonly large: LargeOutput | undefined; readonly format: string },
): Promise<Outcome> {
  const problem = commandProblem(effect, outcome);
  if (problem?.ok === false && isHopeless(effect, problem.message, outcome.stderr || outcome.stdout.text))
    return { ...problem, final: true };
  if (problem !== undefined) return problem;
  if (large === undefined) return parseOutput(outcome.stdout.text, format, effect.step);
  if (format === "text") return { ok: true, value: large };
  const bytes = await store.readBlob(large.sha256);
  return bytes === undefined ? { ok: true, value: large } : parseOutput(new TextDecoder().decode(bytes), format, effect.step);
}

/** Output beyond the limit stays in a file; the state holds where it is and how it begins. */
async function keep(store: Store, file: string, head: string): Promise<LargeOutput> {
  const facts = await store.adoptBlob(file);
  return { large: true, path: await store.blobFile(facts.hash), bytes: facts.bytes, sha256: facts.hash, preview: beginningOf(head, 2048) };
}

/** Characters of an output that are shown with a failure: the end of a short one, the beginning and the end of a long one. */
const told = { all: 600, first: 400, last: 400 };

function endsOf(name: string, output: string): string {
  const text = output.trim();
  if (text === "") return "";
  if (text.length <= told.all) return ` Its ${name} ends with: ${text}`;
  return ` Its ${name} begins with: ${beginningOf(text, told.first)} ... It ends with: ${endOf(text, told.last).trimStart()}`;
}

/** Of a failure whose message has not all of the error output: a file with it, which the message names. */
async function keepErrors(store: Store, outcome: Outcome, stderr: string): Promise<Performed | undefined> {
  if (outcome.ok !== false || stderr.trim().length <= told.all) return undefined;
  const { hash, bytes } = await store.putBlob(new TextEncoder().encode(stderr));
  const message = `${outcome.message} All of it: ${await store.blobFile(hash)}`;
  return { outcome: { ...outcome, message }, facts: { errors: { $blob: hash, bytes } } };
}

/** Of a long output only so many characters at its beginning and at its end say what kind of failure it was. */
const judged = 4000;

function isHopeless(effect: Effect, message: string, output: string): boolean {
  const ends = output.length <= 2 * judged ? output : `${output.slice(0, judged)}\n${output.slice(-judged)}`;
  return isFinal(effect.args["retry_on"], `${message}\n${ends}`);
}

function commandProblem(effect: Effect, outcome: CommandOutcome): Outcome | undefined {
  // The check of a task is a part that authors know by the field that they wrote it in.
  const step = isCheck(effect.block) ? "done_when" : effect.step;
  const tail = endsOf("error output", outcome.stderr) || endsOf("output", outcome.stdout.text);
  switch (outcome.ended) {
    case "timeout":
      return { ok: false, code: "TIMEOUT", message: `\`${step}\` was stopped after ${effect.timeoutMs ?? outcome.ms} ms.${tail}` };
    case "cancelled":
      return { ok: "lost" };
    case "not_started":
      return {
        ok: false,
        code: "COMMAND_NOT_STARTED",
        message: `\`${step}\` could not be started: ${asSentence(outcome.problem ?? "the reason is not known")}`,
      };
    case "exit": {
      if (outcome.exitCode === 0) return undefined;
      const how = outcome.exitCode === null ? `was ended by ${outcome.signal ?? "a signal"}` : `ended with exit code ${outcome.exitCode}`;
      return { ok: false, code: "COMMAND_FAILED", message: `The command of \`${step}\` ${how}.${tail}` };
    }
  }
}

function textMap(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value as Json)]),
  );
}

/** Turns a command's output into a value. */
export function parseOutput(text: string, format: string, step: string): Outcome {
  switch (format) {
    case "lines":
      return { ok: true, value: lines(text) };
    case "json":
      try {
        return { ok: true, value: JSON.parse(text) as Json };
      } catch (error) {
        return {
          ok: false,
          code: "COMMAND_OUTPUT",
          message: `The output of \`${step}\` is not JSON: ${(error as Error).message}. It begins with: ${beginningOf(text, 120)}`,
        };
      }
    case "key_value":
      return { ok: true, value: keyValues(text) };
    default:
      return { ok: true, value: text.replace(/\r?\n$/, "") };
  }
}

function lines(text: string): string[] {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  return all;
}

/** `K=V` and `K: V` lines; other lines are passed over. */
function keyValues(text: string): Json {
  const found: Record<string, Json> = {};
  for (const line of lines(text)) {
    const pair = /^\s*([^=:\s][^=:]*?)\s*(?:=|:\s)\s*(.*?)\s*$/.exec(line) ?? /^\s*([^=:\s][^=:]*?)\s*:\s*(.*?)\s*$/.exec(line);
    if (pair?.[1] !== undefined)
      Object.defineProperty(found, pair[1], { value: pair[2] ?? "", enumerable: true, writable: true, configurable: true });
  }
  return found;
}
