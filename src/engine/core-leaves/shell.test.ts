import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../test/support/test-engine.ts";
import type { CommandOutcome, CommandRequest } from "../../ports/index.ts";
import { readState } from "../commands/state.ts";
import { start } from "../commands/start.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const exit: CommandOutcome = { exitCode: 0, signal: null, ended: "exit", stdout: { text: "", bytes: 0 }, stderr: "", ms: 5 };

/** Runs one command that ends as it is told to; nothing is started. */
async function ran(outcome: Partial<CommandOutcome>, more = "", file?: string): Promise<{ readonly got: unknown; readonly why: unknown }> {
  let asked: CommandRequest | undefined;
  const workflow = `
name: shell:one
default_state: { raw: {} }
steps:
  - { id: make, type: shell_command, command: make, state_update: { path: raw.got }, on_error: continue, error_state_update: { path: raw.why }${more} }
`;
  engine = await openTestEngine({ ".waymark/workflows/shell__one.yaml": workflow }, { commandTimeoutMs: 77 }, undefined, () => ({
    run: async (request) => {
      asked = request;
      if (file === undefined) return { ...exit, ...outcome };
      const path = join(engine.folder, "large.txt");
      await writeFile(path, file);
      return { ...exit, ...outcome, stdout: { text: file.slice(0, 4096), bytes: file.length, file: path } };
    },
  }));
  await engine.allow("shell:one");
  const { run } = await start(engine.context, engine.caller, { workflow: "shell:one" });
  const { state } = await readState(engine.context, run);
  last = asked;
  return { got: state["got"], why: state["why"] };
}

let last: CommandRequest | undefined;
const output = (text: string): Partial<CommandOutcome> => ({ stdout: { text, bytes: text.length } });
const failure = (code: string, message: string | RegExp): unknown => ({
  got: undefined,
  why: expect.objectContaining({
    type: code,
    message: typeof message === "string" ? message : (expect.stringMatching(message) as string),
  }) as unknown,
});

test("output becomes a value by the format of the step", async () => {
  expect(await ran(output("a\nb\n"))).toEqual({ got: "a\nb", why: undefined });
  await engine.close();
  expect((await ran(output("a\n\nb\n"), ", output_format: lines")).got).toEqual(["a", "", "b"]);
  await engine.close();
  expect((await ran(output('{"a":1}'), ", output_format: json")).got).toEqual({ a: 1 });
  await engine.close();
  expect((await ran(output("A=1\nnothing\nB: x = y\n"), ", output_format: key_value")).got).toEqual({ A: "1", B: "x = y" });
});

test("output that is not in its format is a failure that shows how it begins", async () => {
  expect(await ran(output("no json"), ", output_format: json")).toEqual(
    failure("COMMAND_OUTPUT", /^The output of `make` is not JSON: .* It begins with: no json$/),
  );
});

test("an exit code says that the command failed, with the end of its error output", async () => {
  const told = "The command of `make` ended with exit code 2. Its error output ends with: no rule";
  expect(await ran({ exitCode: 2, stderr: "no rule\n" })).toEqual(failure("COMMAND_FAILED", told));
});

test("of a long error output the beginning and the end are told, and a file that has all of it is named", async () => {
  const stderr = `SyntaxError: no such word\n${"    at some module line\n".repeat(200)}Node.js v20`;
  const { why } = await ran({ exitCode: 1, stderr });
  const { message } = why as { readonly message: string };
  expect(message).toMatch(
    / Its error output begins with: SyntaxError: no such word\n[\s\S]* It ends with: [\s\S]*Node\.js v20 All of it: /,
  );
  expect(message.length).toBeLessThan(1200);
  const file = message.slice(message.lastIndexOf("All of it: ") + "All of it: ".length);
  expect(await readFile(file, "utf8")).toBe(stderr);
  expect(await engine.context.store.collectBlobs()).toMatchObject({ removed: 0 });
});

test("no character of an error output is told in half", async () => {
  const stderr = `${"x".repeat(399)}\u{1f600}${"y".repeat(400)}\u{1f600}${"z".repeat(399)}`;
  const { message } = (await ran({ exitCode: 1, stderr })).why as { readonly message: string };
  expect(message).not.toMatch(/\p{Surrogate}/u);
  expect(message).toContain(`begins with: ${"x".repeat(399)} ... It ends with: ${"z".repeat(399)} All of it: `);
  await engine.close();
  expect((await ran(output(`${"x".repeat(119)}\u{1f600}`), ", output_format: json")).why).toMatchObject({
    message: expect.stringMatching(/begins with: x{119}$/) as string,
  });
});

test("a signal is named, and an empty error output is not mentioned", async () => {
  expect(await ran({ exitCode: null, signal: "SIGTERM", stderr: " \n" })).toEqual(
    failure("COMMAND_FAILED", "The command of `make` was ended by SIGTERM."),
  );
});

test("a command that takes too long, or could not be started, fails with the reason", async () => {
  expect(await ran({ ended: "timeout", ms: 5 }, ", timeout: 9")).toEqual(failure("TIMEOUT", "`make` was stopped after 9 ms."));
  expect(last?.timeoutMs).toBe(9);
  await engine.close();
  expect(await ran({ ended: "timeout", ms: 5 })).toEqual(failure("TIMEOUT", "`make` was stopped after 5 ms."));
  expect(last?.timeoutMs).toBe(77);
  await engine.close();
  expect(await ran({ ended: "not_started", problem: "no such folder" })).toEqual(
    failure("COMMAND_NOT_STARTED", "`make` could not be started: no such folder."),
  );
  await engine.close();
  expect(await ran({ ended: "not_started", problem: "The folder `x` does not exist." })).toEqual(
    failure("COMMAND_NOT_STARTED", "`make` could not be started: The folder `x` does not exist."),
  );
});

test("environment values other than text are handed on as JSON", async () => {
  await ran({}, ', env: { A: "x", B: "{{ [1, 2] }}" }');
  expect(last?.env).toEqual({ A: "x", B: "[1,2]" });
});

test("a large output stays in a file that the state points to, unless its format asks for all of it", async () => {
  const text = "x".repeat(5_000);
  expect((await ran({}, "", text)).got).toMatchObject({ large: true, bytes: 5_000, preview: "x".repeat(2_048) });
  await engine.close();
  expect((await ran({}, ", output_format: json", JSON.stringify([text]))).got).toEqual([text]);
});
