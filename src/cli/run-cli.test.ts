import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../test/process/cli-world.ts";
import { dialectCommands } from "../../test/support/all-dialects.ts";
import { commandName } from "./define-command.ts";
import { commandSpecs, createCommandTree, exitCodeHelp } from "./command-tree.ts";

const specs = commandSpecs(dialectCommands);

let bench: CliBench;
beforeAll(async () => {
  bench = await openCliBench();
});
afterAll(() => bench.close());

const untouched = (): never => {
  throw new Error("This must not be loaded.");
};

describe("help", () => {
  test("names every command and every exit code, and opens nothing", async () => {
    const { code, stdout, stderr } = await bench.run(["--help"], { world: { openEngine: untouched, loadConfig: untouched } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const spec of specs) expect(stdout).toContain(`\n  ${commandName(spec)} `);
    const unwrapped = stdout.replaceAll("\n     ", " ");
    for (const [number, meaning] of exitCodeHelp(dialectCommands)) expect(unwrapped).toContain(`\n  ${number}  ${meaning}\n`);
  });

  test.each(specs.map(commandName))("of `%s` has an example that the parser accepts", async (name) => {
    const { code, stdout } = await bench.run([name, "--help"]);
    expect(code).toBe(0);
    const examples = [...stdout.matchAll(/^ {2}\$ waymark (.*)$/gm)].map(([, line = ""]) => line);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const words = [...example.replace(/ >{1,2} \S+$/, "").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
        ([, single, double, bare]) => single ?? double ?? bare ?? "",
      );
      let performed = "";
      const tree = createCommandTree({
        version: "1",
        dialects: dialectCommands,
        output: { writeErr: () => undefined },
        perform: (command) => Promise.resolve(void (performed = command.name())),
      });
      await tree.parseAsync(words, { from: "user" });
      expect(performed).toBe(name);
    }
  });

  test.each(["", ...specs.map(commandName)])("of `%s` fills the width, and no line is longer", async (name) => {
    const { PassThrough } = await import("node:stream");
    const stdout = Object.assign(new PassThrough(), { columns: 90 });
    const { code } = await bench.run([...(name === "" ? [] : [name]), "--help"], { world: { stdout } });
    const shown = String(stdout.read());
    expect(code).toBe(0);
    const [text = ""] = shown.split("\nExamples:\n");
    for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(90);
    for (const [paragraph] of text.matchAll(/^(?:\S.*\n){2,}/gm)) {
      const lines = paragraph.trimEnd().split("\n");
      for (const [at, line] of lines.slice(0, -1).entries())
        expect(`${line} ${lines[at + 1]?.split(" ")[0] ?? ""}`.length, line).toBeGreaterThan(90);
    }
  });

  test("is shown without any argument", async () => {
    const { code, stdout } = await bench.run([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: waymark/);
  });

  test("the version is printed", async () => {
    expect((await bench.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

// A run that is named in full is not looked for before the command knows what is wrong with the rest.
const run = "wf-x-2026-01-31-a1b2c3";

describe("wrong usage", () => {
  test.each([
    [["strat"], "CLI_UNKNOWN_COMMAND", "Unknown command `strat`. Did you mean `start`?"],
    [["stat"], "CLI_UNKNOWN_COMMAND", "Unknown command `stat`. Did you mean `status` or `state`? "],
    [["help", "strat"], "CLI_UNKNOWN_COMMAND", "Unknown command `strat`. Did you mean `start`? "],
    [["help", "nosuch"], "CLI_UNKNOWN_COMMAND", "Unknown command `nosuch`. "],
    [["-C", "", "status"], "CLI_BAD_VALUE", "`-C` is empty."],
    [["--store", "", "status"], "CLI_BAD_VALUE", "`--store` is empty."],
    [
      ["--store", "mysql://ada:secret@db/x", "status"],
      "CLI_BAD_VALUE",
      "`--store` is the address of something that Waymark does not know.",
    ],
    [
      ["--store", "postgres:/ada:secret@db/x", "status"],
      "CLI_BAD_VALUE",
      "`--store` begins like the address of a database, but has no `//`",
    ],
    [["--store", "postgresql:db", "status"], "CLI_BAD_VALUE", "`--store` begins like the address of a database, but has no `//`"],
    [["--store", "<address of the store>", "status"], "CLI_NOT_FILLED_IN", "with the address of the store in its place"],
    [["--store", "<address of the store>", "start", "x"], "CLI_NOT_FILLED_IN", "`--store` still says `<address of the store>`"],
    [["-C", "<folder>", "status"], "CLI_NOT_FILLED_IN", "`-C` still says `<folder>`"],
    [["start", "x", "--inptu", "a=b"], "CLI_UNKNOWN_OPTION", "Unknown option `--inptu`. Did you mean `--input`"],
    [["start"], "CLI_USAGE", "Missing required argument `workflow`."],
    [["list", "x"], "CLI_USAGE", "Too many arguments for `list`."],
    [["start", "x", "--input"], "CLI_USAGE", "argument missing"],
    [["explain", "x", "-f", "png"], "CLI_BAD_VALUE", "Allowed choices are text, json, mermaid."],
    [["start", "x", "--budget", "steps=0"], "CLI_BAD_VALUE", "The budget `steps`"],
    [["runs", "--status", "run"], "CLI_BAD_VALUE", "See `waymark runs --help`"],
    [["prune"], "CLI_USAGE", "`--older-than` is missing"],
    [
      ["completion", "powershell"],
      "CLI_BAD_VALUE",
      "There is no completion for `powershell`. (CLI_BAD_VALUE)\n→ Shells are bash, zsh, fish.",
    ],
    [["init", "--client", "cursr"], "CLI_BAD_VALUE", "Did you mean `cursor`?"],
    [["mcp", "--tools", ","], "CLI_USAGE", "names no toolset"],
    [["serve", "--port", "70000"], "CLI_USAGE", "There is no port 70000."],
    [["done", run, "--result", "1", "--text", "2"], "CLI_USAGE", "Only one of"],
    [["fail", "x", "--result", "1"], "CLI_UNKNOWN_OPTION", "--result"],
    [["skip", run], "CLI_USAGE", "A skip needs its reason."],
    [["done", run, "--result", "<the result>"], "CLI_NOT_FILLED_IN", "<the result>"],
    [["fail", run, "--error", "<why>"], "CLI_NOT_FILLED_IN", "<why>"],
    [["decide", run, "d1", "<answer>"], "CLI_NOT_FILLED_IN", "<answer>"],
    [["report", run, "--done"], "CLI_OTHER_COMMAND", "writes the report of a run"],
    [["state", run, "a", "--deps", "b"], "CLI_USAGE", "cannot be combined"],
    [["trace"], "CLI_USAGE", "Name a run"],
    [["allow"], "CLI_USAGE", "Say what to allow"],
  ])("%j ends with 2, says what is wrong and what to do", async (argv, code, message) => {
    const {
      code: exit,
      stderr,
      stdout,
    } = await bench.run(argv, { world: { openEngine: untouched, serveMcp: untouched, serveHttp: untouched } });
    expect(exit).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
    expect(stderr).toContain(`(${code})`);
    expect(stderr).toMatch(/^→ /m);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("with --json the error is one JSON document on stderr", async () => {
    const { code, stdout, stderr } = await bench.run(["strat", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "CLI_UNKNOWN_COMMAND", message: "Unknown command `strat`. Did you mean `start`?", fix: expect.any(String) },
    });
  });
});

describe("a fault of our own", () => {
  const broken = { openEngine: () => Promise.reject(new TypeError("boom")) };

  test("ends with 5 and shows no stack", async () => {
    const { code, stderr } = await bench.run(["runs"], { world: broken });
    expect(code).toBe(5);
    expect(stderr).toContain("(CLI_UNEXPECTED)");
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("shows its stack when the log level is debug", async () => {
    const { stderr } = await bench.run(["runs"], { world: broken, env: { WAYMARK_LOG: "debug" } });
    expect(stderr).toMatch(/Caused by: TypeError: boom\n\s+at /);
  });
});

describe("colours", () => {
  const error = async (env: Record<string, string>, isTTY: boolean): Promise<string> => {
    const { PassThrough } = await import("node:stream");
    const stdout = Object.assign(new PassThrough(), { isTTY });
    return (await bench.run(["prune"], { env, world: { stdout } })).stderr;
  };

  test("are used on a terminal only, and never with NO_COLOR", async () => {
    expect(await error({}, true)).toContain("\u001b[31m✗");
    expect(await error({}, false)).not.toContain("\u001b");
    expect(await error({ NO_COLOR: "1" }, true)).not.toContain("\u001b");
  });
});

test("a reader that goes away does not make a command fail", async () => {
  const { Writable } = await import("node:stream");
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error("closed"), { code: "EPIPE" })) });
  expect((await bench.run(["completion", "bash"], { world: { stdout } })).code).toBe(0);
});
