import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sarifProblems } from "../../../../test/support/sarif-problems.ts";
import { openCliBench, type CliBench, type CliResult } from "../../../../test/process/cli-world.ts";

const object = (name: string, ...calls: string[]): string =>
  `codeunit 50100 "${name}"\n{\n    procedure P(T: Text)\n    begin\n${calls.map((call) => `        ${call};\n`).join("")}    end;\n}\n`;

const migration = "error-to-errorinfo-migration";
const files = {
  "app.json": '{ "id": "x", "runtime": "12.0" }\n',
  "src/A.al": object("A", "Error('First')", "Error(T)"),
  "src/deep/B.al": object("B", "Error('Second %1', T)", "// Error('no')", "Error(Qx)"),
  "src/C.al": object("C", "Message('fine')"),
};

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench(files);
});
afterEach(() => bench.close());

function lines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const scan = (path: string, ...more: string[]): Promise<CliResult> => bench.run(["scan", migration, path, ...more]);

describe("scan", () => {
  test("prints one finding per line with its place, and the summary beside it", async () => {
    const { code, stdout, stderr } = await scan(".", "--jsonl");
    expect(code, stderr).toBe(0);
    const found = lines(stdout);
    expect(found).toHaveLength(4);
    expect(found[0]).toEqual({
      file: "src/A.al",
      line: 5,
      column: 9,
      end_line: 5,
      end_column: 23,
      severity: "info",
      rule: "error-call",
      message: expect.stringMatching(/\.$/),
      type: "literal",
      auto_fixable: true,
      text: "Error('First')",
      seed_type: "literal",
      fingerprint: expect.stringMatching(/^i[0-9a-f]{12}$/),
      fixes: [
        { line: 5, column: 15, end_line: 5, end_column: 15, text: "ErrorInfo.Create(" },
        { line: 5, column: 22, end_line: 5, end_column: 22, text: ")" },
      ],
    });
    expect(found[1]).toMatchObject({ type: "text_var", auto_fixable: false, why: expect.any(String) });
    expect(found.map(({ file }) => file)).toEqual(["src/A.al", "src/A.al", "src/deep/B.al", "src/deep/B.al"]);
    expect(stderr).toMatch(/^Workspace: .+\nScanned 3 files in [\d.]+ s: 4 instances in 2 files, 2 auto-fixable\.\n/);
    expect(readdirSync(bench.workspace).toSorted()).toEqual(["app.json", "src"]);
  });

  test("without --json it is rows by file, and --quiet leaves the summary out", async () => {
    const { stdout, stderr } = await scan("src", "--quiet");
    expect(stdout).toMatch(/^src\/A\.al:5:9 {2}info {2}error-call {2}\S.*\n/);
    expect(stderr).toBe("");
  });

  test("--json is one document with counts, and --format sarif is valid SARIF with its fixes", async () => {
    const document = JSON.parse((await scan(".", "--json")).stdout) as { readonly findings: readonly object[]; readonly summary: object };
    expect(document).toMatchObject({ workflow: migration, root: bench.workspace, summary: { files: 3, findings: 4, auto_fixable: 2 } });
    expect(document.findings).toEqual(lines((await scan(".", "--jsonl")).stdout));
    const { stdout } = await scan(".", "--format", "sarif");
    const sarif = JSON.parse(stdout) as { readonly runs: readonly { readonly results: readonly Record<string, unknown>[] }[] };
    expect(sarifProblems(sarif)).toEqual([]);
    expect(sarif.runs[0]?.results.map(({ ruleId, level, fixes }) => [ruleId, level, fixes !== undefined])).toEqual([
      ["error-call", "note", true],
      ["error-call", "note", false],
      ["error-call", "note", true],
      ["error-call", "note", false],
    ]);
    const both = await bench.run(["--json", "--jsonl", "scan", migration]);
    expect([both.code, both.stdout, both.stderr]).toEqual([2, "", expect.stringContaining("Give one of them")]);
  });

  test("every form is printed, and those for people take nothing from the file for markup", async () => {
    await bench.write("src/A.al", object("A", "Error('<b> | ::error::x')"));
    const all = await Promise.all(["github", "gitlab", "junit", "markdown", "html"].map((form) => scan("src/A.al", "--format", form)));
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    const [github = "", gitlab = "", junit = "", markdown = "", html = ""] = all.map(({ stdout }) => stdout);
    expect(github).toMatch(/^::notice file=src\/A\.al,line=5,endLine=5,col=9,endColumn=\d+,title=info%3A error-call::Wrap/);
    expect(JSON.parse(gitlab)).toMatchObject([{ check_name: "error-call", location: { path: "src/A.al" } }]);
    expect(junit).toContain("&lt;b&gt;");
    expect(markdown).toMatch(
      /^# Findings of error-to-errorinfo-migration\n[^]*\| src\/A\.al:5:9 \| info \| error-call \| [^]*- Findings: 1/,
    );
    expect(html).toContain("<td>src/A.al:5:9</td><td>info</td><td>error-call</td>");
    expect((await scan(".", "--format", "yaml")).code).toBe(2);
  });

  test("a terminal sees how far the scan is, and nothing of it is left beside the rows", async () => {
    let seen = "";
    const stderr = Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, next) => {
          seen += chunk.toString();
          next();
        },
      }),
      {
        isTTY: true,
      },
    );
    const { stdout } = await bench.run(["scan", migration], { world: { stderr } });
    expect(seen).toContain("\r\u001b[K1 of 3 files\r\u001b[K");
    expect(seen.replaceAll(/\r\u001b\[K[^\r\n]*(?=\r\u001b\[K)/g, "")).toMatch(/^Workspace: .*\n\r\u001b\[KScanned 3 files/);
    expect(stdout).not.toContain("\u001b");
  });

  test("info lists the rules of a workflow, with how grave they are", async () => {
    expect((await bench.run(["info", migration])).stdout).toMatch(/RULE +SEVERITY +WHAT IT FINDS\n +error-call +info +\S/);
    expect(await bench.json(["info", migration])).toMatchObject({ rules: [{ id: "error-call", severity: "info" }] });
  });

  test("--min-severity and --fail-on with a severity count that and what is graver", async () => {
    const text = readFileSync(join(import.meta.dirname, "../../../../workflows/error-to-errorinfo-migration.workflow.yaml"), "utf8");
    const grave = `    - id: grave\n      regex: "Message"\n      severity: error\n\n    - id: error-call\n      name: "Error() Call"`;
    await bench.write(
      ".waymark/workflows/two.workflow.yaml",
      text.replace(/^type: .*$/m, "type: two").replace('    - id: error-call\n      name: "Error() Call"', grave),
    );
    const ends = async (...wish: string[]): Promise<number> => (await bench.run(["scan", "two", ...wish])).code;
    expect(lines((await bench.run(["scan", "two", "--min-severity", "warning", "--jsonl"])).stdout).map(({ rule }) => rule)).toEqual([
      "grave",
    ]);
    expect([await ends("--fail-on", "critical"), await ends("--fail-on", "error"), await ends("--fail-on", "info")]).toEqual([0, 1, 1]);
    expect(await ends("--fail-on", "info", "--min-severity", "critical")).toBe(0);
    expect(await ends("src/A.al", "--fail-on", "warning")).toBe(0);
  });

  test("--baseline reports what is new, and --update-baseline writes what is there and ends with 0", async () => {
    const baselined = (...more: string[]): Promise<CliResult> => scan(".", "--baseline", "known.json", "--fail-on", "found", ...more);
    const missing = await baselined();
    expect([missing.code, missing.stdout, missing.stderr]).toEqual([2, "", expect.stringContaining("--update-baseline")]);
    expect(missing.stderr).toContain("(CLI_BASELINE)");
    expect((await scan(".", "--update-baseline")).stderr).toContain("--baseline <file>");
    const written = await baselined("--update-baseline");
    expect([written.code, written.stdout]).toEqual([0, "Wrote 4 findings to known.json.\n"]);
    const none = await baselined();
    expect([none.code, none.stdout, none.stderr]).toEqual([0, "", expect.stringContaining("4 findings are known from the baseline")]);
    await bench.write("src/A.al", object("New", "Error('New')", "Error('First')", "Error(T)", "Error('First')"));
    const fresh = await baselined("--jsonl");
    expect([fresh.code, lines(fresh.stdout).map(({ line }) => line)]).toEqual([1, [5, 8]]);
    expect((await scan(".", "--baseline", "known.json", "--min-severity", "warning", "--fail-on", "found")).code).toBe(0);
    await bench.write("known.json", "<<<<<<< ours\n");
    const damaged = await baselined();
    expect([damaged.code, damaged.stdout]).toEqual([2, ""]);
    expect(damaged.stderr).toMatch(/`known\.json` cannot be used: it is not JSON.*\(CLI_BASELINE\)/);
  });

  test("a finding keeps its fingerprint when lines above it come and go", async () => {
    const before = lines((await scan("src/A.al", "--jsonl")).stdout);
    await bench.write("src/A.al", `// one\n// two\n${files["src/A.al"]}`);
    const after = lines((await scan("src/A.al", "--jsonl")).stdout);
    expect(after.map(({ line }) => line)).toEqual([7, 8]);
    expect(after.map(({ fingerprint }) => fingerprint)).toEqual(before.map(({ fingerprint }) => fingerprint));
  });

  test("a folder inside the application knows its version, and rows are relative to the workspace from every folder", async () => {
    const found = lines((await scan("src/deep", "--jsonl")).stdout);
    expect(found[0]).toMatchObject({ file: "src/deep/B.al", type: "literal_args", auto_fixable: true });
    const there = await bench.run(["scan", migration, "--jsonl"], { cwd: join(bench.workspace, "src/deep") });
    expect(lines(there.stdout)).toEqual(found);
  });

  test("globs of the workflow are relative to the workspace, whatever folder is named", async () => {
    const text = readFileSync(join(import.meta.dirname, "../../../../workflows/error-to-errorinfo-migration.workflow.yaml"), "utf8");
    const globs = text.replace(/^type: .*$/m, "type: below-src").replace('- "**/*.al"', '- "src/deep/*.al"');
    await bench.write(".waymark/workflows/below-src.workflow.yaml", globs);
    for (const path of [".", "src", "src/deep", "src/deep/B.al"]) {
      const { stdout } = await bench.run(["scan", "below-src", path, "--jsonl"]);
      expect([path, ...new Set(lines(stdout).map(({ file }) => file))]).toEqual([path, "src/deep/B.al"]);
    }
    const none = await bench.run(["scan", "below-src", "src/deep", "lib"]);
    expect([none.code, none.stdout, none.stderr]).toEqual([2, "", expect.stringContaining("lib` does not exist. (CLI_FILE)")]);
  });

  test("several paths are scanned together, each file once", async () => {
    await bench.write("odd name.txt", object("T", "Error('t')"));
    const { code, stdout, stderr } = await scan("src/deep", "src/A.al", "src/deep/B.al", "odd name.txt", "--jsonl");
    expect(code, stderr).toBe(0);
    expect(lines(stdout).map(({ file, line }) => `${String(file)}:${String(line)}`)).toEqual([
      "odd name.txt:5",
      "src/A.al:5",
      "src/A.al:6",
      "src/deep/B.al:5",
      "src/deep/B.al:7",
    ]);
    expect(stderr).toContain("Scanned 3 files");
  });

  test("- takes a list from stdin, of whose files those count that the workflow takes", async () => {
    await bench.write("notes.md", "Error('x')\n");
    await bench.write("src/two\nlines ü.al", object("U", "Error('u')"));
    const byLine = await bench.run(["scan", migration, "-", "--jsonl"], { typed: ["src/A.al\r", "notes.md", "", "./src/deep"] });
    expect([...new Set(lines(byLine.stdout).map(({ file }) => file))], byLine.stderr).toEqual(["src/A.al", "src/deep/B.al"]);
    const byZero = await bench.run(["scan", migration, "-", "--jsonl"], { typed: ["src/two\nlines ü.al\0notes.md\0src/C.al\0"] });
    expect(
      lines(byZero.stdout).map(({ file }) => file),
      byZero.stderr,
    ).toEqual(["src/two\nlines ü.al"]);
    const none = await bench.run(["scan", migration, "-", "--fail-on", "found"], { typed: ["notes.md"] });
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining(`No file of the list is one that \`${migration}\` looks at.`)]);
    expect((await bench.run(["scan", migration, "-"])).code, "an empty list is none of its files").toBe(0);
    const gone = await bench.run(["scan", migration, "-"], { typed: ["src/Gone.al"] });
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining("does not exist")]);
    const spelled = await bench.run(["scan", migration, "-"], { typed: ['"src/\\303\\274.al"'] });
    expect([spelled.code, spelled.stderr]).toEqual([2, expect.stringContaining("add `-z` to its command")]);
  });

  test("a folder outside of the workspace is scanned as if it were one, and its rows lead there", async () => {
    const other = join(bench.home, "app");
    mkdirSync(join(other, "deep"), { recursive: true });
    writeFileSync(join(other, "deep/O.al"), object("O", "Error('o')"));
    writeFileSync(join(other, "app.json"), '{ "runtime": "12.0" }');
    const { stdout, stderr } = await scan("src/deep", other, "--jsonl");
    expect(
      lines(stdout).map(({ file }) => file),
      stderr,
    ).toEqual(["src/deep/B.al", "src/deep/B.al", "../home/app/deep/O.al"]);
    expect(lines(stdout)[2]).toMatchObject({ auto_fixable: true });
  });

  test("one file of the workspace is named by its path in it", async () => {
    expect(lines((await scan("src/deep/B.al", "--jsonl")).stdout)[0]).toMatchObject({ file: "src/deep/B.al" });
    expect((await scan("src/deep/B.al", "--quiet")).stdout).toMatch(/^src\/deep\/B\.al:5:9 /);
  });

  test("one file, outside of the current folder and without the workflow's ending, is scanned as it was named", async () => {
    const other = join(bench.home, "alone.txt");
    writeFileSync(other, object("X", "Error('x')"));
    const alone = await bench.run(["scan", migration, other, "--jsonl"]);
    expect(alone.code, alone.stderr).toBe(0);
    expect(lines(alone.stdout)).toMatchObject([{ file: "../home/alone.txt", line: 5 }]);
    const al = join(bench.home, "Alone.al");
    writeFileSync(al, object("X", "Error('x')"));
    symlinkSync(al, join(bench.workspace, "Link.al"));
    const unknown = lines((await scan("Link.al", "--jsonl")).stdout);
    expect(unknown).toMatchObject([{ file: "Link.al", type: "literal", auto_fixable: false }]);
    expect(lines((await scan(al, "--jsonl", "--bc-version", "BC24")).stdout)).toMatchObject([
      { file: "../home/Alone.al", auto_fixable: true },
    ]);
  });

  test("what git ignores and the workflow excludes is left out; binary and oversized files are listed", async () => {
    mkdirSync(join(bench.workspace, ".git"));
    await bench.write(".gitignore", "generated/\n");
    await bench.write("generated/G.al", object("G", "Error('x')"));
    await bench.write("src/test/T.al", object("T", "Error('x')"));
    await bench.write("src/Bin.al", "\u0000\u0001\u0000\u0002");
    writeFileSync(join(bench.workspace, "src/Big.al"), Buffer.alloc(11 << 20, "// comment \n"));
    const { code, stdout, stderr } = await scan(".", "--jsonl");
    expect(code, stderr).toBe(0);
    expect(new Set(lines(stdout).map(({ file }) => file))).toEqual(new Set(["src/A.al", "src/deep/B.al"]));
    expect(stderr).toMatch(/1 problem \(SCAN_BINARY\):\n {2}.*src\/Bin\.al/);
    expect(stderr).toMatch(/1 problem \(WORKSPACE_FILE_OVERSIZED\):\n {2}.*src\/Big\.al/);
  });

  test("--fail-on ends with 1 when there is something to fail on", async () => {
    expect((await scan(".", "--fail-on", "found")).code).toBe(1);
    expect((await scan(".", "--fail-on", "auto-fixable")).code).toBe(1);
    expect((await scan("src/C.al", "--fail-on", "found")).code).toBe(0);
    await bench.write("src/deep/B.al", object("B", "Error(Qx)"));
    expect((await scan("src/deep", "--fail-on", "found")).code).toBe(1);
    expect((await scan("src/deep", "--fail-on", "auto-fixable")).code).toBe(0);
    expect((await scan(".", "--fail-on", "anything")).code).toBe(2);
  });

  test.each([
    [["scan", migration, "nowhere"], "CLI_FILE"],
    [["scan", "error-to-errorinfo", "."], "ENGINE_NO_WORKFLOW"],
    [["scan", "code-review", "."], "CLI_NO_PATTERNS"],
    [["scan", "hello", "."], "CLI_NO_PATTERNS"],
    [["scan", "typescript-migration", "."], "CLI_NO_FILES"],
    [["scan", "bc-version-upgrade", "."], "CLI_USAGE"],
    [["scan", migration, ".", "--source", "BC23"], "CLI_USAGE"],
    [["scan", migration, ".", "--bc-version", "latest"], "SCAN_BAD_VERSION"],
    [["scan", "broken", "."], "SCAN_"],
  ])("%j is refused with %s", async (argv, code) => {
    await bench.write(
      ".waymark/workflows/hello.yaml",
      'name: hello\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: a, type: user_message, message: hi }]\n',
    );
    const text = readFileSync(join(import.meta.dirname, "../../../../workflows/error-to-errorinfo-migration.workflow.yaml"), "utf8");
    await bench.write(
      ".waymark/workflows/broken.workflow.yaml",
      text.replace(/^type: .*$/m, "type: broken").replace("finder: al-error-call", 'regex: "(a+)+b("'),
    );
    // A version that was named counts only where no app.json says one.
    if (argv.includes("--bc-version")) await bench.write("app.json", "{}");
    const done = await bench.run(argv);
    expect(done.code, done.stdout).toBe(2);
    expect(done.stderr).toContain(code === "SCAN_" ? "broken" : `(${code})`);
    expect(done.stdout).toBe("");
  });

  test("workflows that it calls are scanned too, each with its own files, and their instances say so", async () => {
    const text = readFileSync(join(import.meta.dirname, "../../../../workflows/code-review.workflow.yaml"), "utf8");
    await bench.write(
      ".waymark/workflows/both.workflow.yaml",
      `${text.replace(/^type: .*$/m, "type: both")}\nsub_workflows: [${migration}]\n`,
    );
    const { code, stdout, stderr } = await bench.run(["scan", "both", ".", "--jsonl", "--fail-on", "found"]);
    expect(code, stderr).toBe(1);
    const found = lines(stdout);
    expect(found.map(({ file, workflow }) => [file, workflow])).toEqual([
      ["src/A.al", migration],
      ["src/A.al", migration],
      ["src/deep/B.al", migration],
      ["src/deep/B.al", migration],
    ]);
    expect(stderr).toContain(`\`${migration}\`, which \`both\` calls:\nScanned 3 files`);
    expect((await bench.run(["scan", "both", "."])).stdout).toMatch(/^src\/A\.al:5:9 .* \[error-to-errorinfo-migration\]$/m);
  });

  test("a version upgrade looks for what the guides of its steps name", async () => {
    await bench.write(
      "src/N.al",
      "codeunit 50101 N\n{\n    procedure P()\n    var\n        M: Codeunit NoSeriesManagement;\n    begin\n        M.GetNextNo('X', Today(), true);\n    end;\n}\n",
    );
    const { code, stdout, stderr } = await bench.run([
      "scan",
      "bc-version-upgrade",
      ".",
      "--source",
      "BC23",
      "--target",
      "BC24",
      "--jsonl",
    ]);
    expect(code, stderr).toBe(0);
    expect(lines(stdout)).toContainEqual(expect.objectContaining({ file: "src/N.al", step: "BC23-BC24", guide: expect.any(String) }));
  });
});

async function started(): Promise<string> {
  const { run_id: run, status } = await bench.json(["start", migration]);
  expect(status).toBe("question");
  return String(run);
}

async function fixed(run: string): Promise<string> {
  await bench.json(["done", run, "--result", "apply_auto_first"]);
  const { confirmation_token: token } = await bench.json(["batch", run, "apply_fixes", "--auto-only"]);
  await bench.json(["batch", run, "apply_fixes", "--confirm", String(token)]);
  return String(token);
}

describe("a checklist run by a person", () => {
  test("from the decision to the end, each answer naming the next command", async () => {
    const run = await started();
    const offered = await bench.run(["done", run, "--result", "apply_auto_first"]);
    expect(offered.stdout).toContain(`→ waymark batch ${run} apply_fixes --auto-only`);
    const dry = await bench.run(["batch", run, "apply_fixes", "--auto-only"]);
    expect(dry.stdout).toContain("2 instances in 2 files (literal 1, literal_args 1). Nothing was changed.");
    expect(dry.stdout).toContain("  - Error('First')\n  + Error(ErrorInfo.Create('First'))");
    const token = /→ waymark batch \S+ apply_fixes --confirm (\S+)$/m.exec(dry.stdout)?.[1] ?? "";
    const diff = await bench.json<{ diff: string }>(["batch", run, "apply_fixes", "--auto-only", "--diff"]);
    expect(diff.diff).toContain("-        Error('First');\n+        Error(ErrorInfo.Create('First'));");
    const done = await bench.run(["batch", run, "apply_fixes", "--confirm", token]);
    expect(done.stdout).toContain("Batch b1: 2 of 2 instances done in 2 files, 0 failed, 0 left out.");
    expect(await bench.read("src/A.al")).toContain("Error(ErrorInfo.Create('First'));");
    const open = await bench.run(["done", run]);
    expect(open.stdout).toContain("File  src/A.al:6:9\nDo    convert_instance: text_var");
    expect(open.stdout).toContain("  |         Error(T);");
    await bench.write("src/A.al", (await bench.read("src/A.al")).replace("Error(T)", "Error(ErrorInfo.Create(T))"));
    const skip = await bench.run(["done", run]);
    expect(skip.stdout).toContain("src/deep/B.al:7:9");
    const last = await bench.run(["skip", run, "--reason", "meant so"]);
    expect(last.stdout).toContain("Everything is dealt with");
    expect((await bench.run(["report", run])).stdout).toContain("the run has not ended");
    expect((await bench.run(["skip", run, "--reason", "tired"])).stderr).toContain("The end of a run is not skipped.");
    expect((await bench.run(["done", run])).stdout).toContain(`Run ${run} is completed.`);
    const { checklist } = await bench.json<{ checklist: object }>(["status", run]);
    expect(checklist).toMatchObject({ progress: { files_completed: 3 }, batches: [{ id: "b1", modified: 2, remaining: 0 }] });
    const { stdout } = await bench.run(["status", run]);
    expect(stdout).toMatch(/^Instances +3 of 4 converted \(2 by batch, 1 by hand\), 1 skipped/m);
    expect(stdout).toMatch(/^Phases +✓ File Inventory +✓ Pattern Scan/m);
    expect(stdout).toMatch(/^Measures +coverage 100 %/m);
  });

  test("an entry is done, skipped or failed, and nothing else is silently passed over", async () => {
    await bench.write("src/D.al", object("D", "Error('First')"));
    const run = await started();
    await bench.json(["done", run, "--result", "review_by_file"]);
    const before = await bench.json(["next", run]);
    for (const [command = "", ...wrong] of [
      ["done", "--reason", "x"],
      ["done", "--error", "x"],
      ["done", "--task", "x"],
      ["done", "--tokens", "5"],
      ["done", "--identical"],
      ["done", "--result", "3"],
      ["done", "--format", "html"],
      ["done", "--result", "[]"],
      ["done", "--result", '{"finding": []}'],
      ["done", "--result", '{"findings": ["x"]}'],
      ["done", "--action", "a999"],
      ["fail", "--error", "x", "--blocked-until", "5m"],
      ["skip"],
      ["skip", "--reason", " "],
      ["skip", "--reason", "<why>"],
      ["report", "--format", "html", "--done"],
    ])
      expect(await bench.run([command, run, ...wrong]), `${command} ${wrong.join(" ")}`).toMatchObject({ code: 2 });
    expect(await bench.json(["next", run])).toEqual(before);
    const finding = { severity: "warning", description: "no Label" };
    const skipped = await bench.run(["skip", run, "--reason", "later", "--identical"]);
    expect(skipped.stdout).toContain("Skipped as well, of the same text: 1 (src/D.al:5).");
    expect((await bench.run(["items", run, "--status", "skipped"])).stdout).toContain("(later)");
    const failed = await bench.run(["fail", run, "--error", "cannot be read"]);
    expect(failed.code, failed.stderr).toBe(0);
    expect((await bench.json<{ checklist: object }>(["status", run])).checklist).toMatchObject({ summary: { total_findings: 1 } });
    expect(await bench.run(["done", run, "--result", JSON.stringify({ findings: [finding] })])).toMatchObject({ code: 0 });
    const again = await bench.run(["retry", run]);
    expect(again.stdout).toMatch(/Opened \d+ files and items again/);
  });

  test("items come like the lines of a scan, with how they stand", async () => {
    const run = await started();
    const scanned = lines((await scan(".", "--jsonl")).stdout);
    const items = lines((await bench.run(["items", run, "--jsonl"])).stdout);
    expect(items.map(({ id: _id, kind: _kind, status: _status, ...line }) => line)).toEqual(
      scanned.map(({ fixes: _fixes, ...line }) => line),
    );
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(["pending"]));
    await fixed(run);
    const done = lines((await bench.run(["items", run, "--status", "completed", "--jsonl"])).stdout);
    expect(done).toMatchObject([{ label: "auto_fixed" }, { label: "auto_fixed" }]);
    expect(await bench.json(["items", run, "--status", "completed"])).toEqual(done);
    expect(await bench.json(["items", run, "--type", "nothing"])).toEqual([]);
    const by = async (...wish: string[]): Promise<number> => lines((await bench.run(["items", run, ...wish, "--jsonl"])).stdout).length;
    expect(await by("--type", "text_var")).toBe(1);
    expect(await by("--type", "text_constant")).toBe(1);
    expect(await by("--file", "src/*.al")).toBe(2);
    expect(await by("--kind", "file")).toBe(3);
    expect(await by("--kind", "all", "--file", "src/C.al")).toBe(3);
    expect((await bench.run(["items", run, "--kind", "entry"])).stdout).toContain("src/C.al");
  });

  test("nothing counts as done before the first report or batch, whatever the engine has settled by itself", async () => {
    const run = await started();
    const numbers = async (): Promise<readonly unknown[]> => {
      const { runs } = await bench.json<{ runs: readonly { done: number; total: number }[] }>(["status"]);
      const { checklist } = await bench.json<{ checklist: { progress: { percent_complete: number } } }>(["status", run]);
      const { metrics } = await bench.json<{ metrics: readonly { metric: string; value: number }[] }>(["report", run]);
      return [runs[0]?.done, checklist.progress.percent_complete, metrics.find(({ metric }) => metric === "completion_rate")?.value];
    };
    expect(await numbers()).toEqual([0, 0, 0]);
    expect((await bench.run(["status"])).stdout).toMatch(/\(0\/\d+\)/);
    await fixed(run);
    const [done, , rate] = await numbers();
    expect([Number(done) > 0, Number(rate) > 0]).toEqual([true, true]);
  });

  test("a run reports its findings in the forms of a scan, with what has become of each", async () => {
    const run = await started();
    await fixed(run);
    await bench.json(["done", run]);
    await bench.json(["skip", run, "--reason", "meant so"]);
    const finding = { severity: "error", category: "texts", description: "No Label", suggestion: "Make one." };
    await bench.json(["done", run, "--result", JSON.stringify({ findings: [finding] })]);
    const found = lines((await bench.run(["report", run, "--jsonl"])).stdout);
    expect(found.map(({ status }) => String(status)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "completed",
      "completed",
      "in_progress",
      "recorded",
      "skipped",
    ]);
    expect(found.find(({ status }) => status === "skipped")).toMatchObject({ reason: "meant so", rule: "error-call" });
    const sarif = JSON.parse((await bench.run(["report", run, "--format", "sarif"])).stdout) as {
      readonly runs: readonly { readonly results: readonly { readonly suppressions: readonly object[] }[] }[];
    };
    expect(sarifProblems(sarif)).toEqual([]);
    expect(sarif.runs[0]?.results.flatMap(({ suppressions }) => suppressions)).toEqual([
      { kind: "external", status: "accepted", justification: "meant so" },
    ]);
    expect(sarif.runs[0]?.results).toHaveLength(found.length - 2);
    expect((await bench.run(["report", run, "--format", "text", "--fail-on", "found"])).code).toBe(1);
    expect((await bench.run(["report", run, "--format", "text", "--fail-on", "critical"])).code).toBe(0);
    const whole = await bench.run(["report", run, "--fail-on", "found"]);
    expect([whole.code, whole.stderr]).toEqual([2, expect.stringContaining("--format text")]);
    expect((await bench.run(["report", run])).stdout).toMatch(/^# /);
    const to = await bench.run(["report", run, "--format", "junit", "--out", "report.xml"]);
    expect([to.code, await bench.read("report.xml")]).toEqual([0, expect.stringContaining("<testsuites")]);
  });

  test("skips and flags are batches too; a token works once and for what it was given", async () => {
    const run = await started();
    expect((await bench.run(["batch", run, "skip_instances"])).stderr).toContain("A skip needs its reason");
    expect((await bench.run(["batch", run, "aply_fixes"])).stderr).toContain("Did you mean `apply_fixes`?");
    const skip = ["batch", run, "skip-instances", "--type", "unresolved", "--reason", "meant so"];
    const { confirmation_token: token } = await bench.json(skip);
    const other = await bench.run(["batch", run, "apply_fixes", "--confirm", String(token)]);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("ENGINE_TOKEN_DEAD") });
    expect(await bench.json(["batch", run, "skip_instances", "--confirm", String(token)])).toMatchObject({ batch: "b1", modified: 1 });
    expect((await bench.run(["batch", run, "skip_instances", "--confirm", String(token)])).stderr).toContain("ENGINE_TOKEN_USED");
    expect((await bench.run(["batch", run, "skip_instances", "--confirm", "batch-x"])).stderr).toContain("ENGINE_TOKEN_UNKNOWN");
    expect(await bench.json(["batch", run, "apply_fixes", "--type", "nothing"])).toMatchObject({ instances: 0 });
    expect(await bench.json(["batch", run, "group_by_type"])).toMatchObject({
      groups: expect.arrayContaining([{ type: "literal", count: 1, auto_fixable: 1, files: 1 }]),
    });
    expect((await bench.run(["batch", run, "group_by_type", "--auto-only"])).stdout).not.toContain("text_var");
  });

  test("undo restores what a batch changed, and names what has changed since", async () => {
    const run = await started();
    await fixed(run);
    await bench.write("src/A.al", `${await bench.read("src/A.al")}// mine\n`);
    const undone = await bench.run(["undo", run]);
    expect(undone.code).toBe(1);
    expect(undone.stdout).toContain("restored 1 file.\n  src/deep/B.al");
    expect(undone.stdout).toContain("Batch b1 is undone in part: ");
    expect(undone.stdout).toContain("1 file was left as it is:\n  src/A.al: The file changed since the batch.\n");
    expect(await bench.read("src/deep/B.al")).toBe(files["src/deep/B.al"]);
    expect(await bench.read("src/A.al")).toContain("// mine");
    expect((await bench.run(["undo", run, "b1"])).stdout).toContain("src/A.al");
    const items = lines((await bench.run(["items", run, "--jsonl"])).stdout);
    expect(items.filter(({ label }) => label !== undefined)).toMatchObject([
      { file: "src/A.al", status: "completed", label: "auto_fixed" },
    ]);
    await bench.write("src/A.al", (await bench.read("src/A.al")).replace("// mine\n", ""));
    expect((await bench.run(["undo", run])).stdout).toBe("Batch b1 is undone: restored 1 file.\n  src/A.al\n");
    expect(await bench.run(["undo", run, "b9"])).toMatchObject({ code: 2, stderr: expect.stringContaining("ENGINE_NO_BATCH") });
  });

  /** A run over one file, which failed. */
  async function failedLook(): Promise<string> {
    await bench.write(
      ".waymark/workflows/look.workflow.yaml",
      `type: look\nname: Look\ndescription: d\nfile_patterns: ["src/C.al"]\nphases:\n  - { id: inventory, name: I }\n  - { id: review, name: R, mode: guided }\nper_file_checklist:\n  - { id: read, type: custom, description: "Read it", by: agent }\ntopic_discovery: { enabled: false }\n`,
    );
    const { run_id: run } = await bench.json(["start", "look"]);
    await bench.json(["fail", String(run), "--error", "cannot be read"]);
    return String(run);
  }

  test("the status of a run counts entries that failed", async () => {
    const run = await failedLook();
    expect((await bench.run(["status", run])).stdout).toMatch(/^Checklist +0 of 1 entries completed, 0 skipped, 1 failed$/m);
  });

  test("the status of a blocked run names a line for each way out, and they can be typed", async () => {
    const run = await failedLook();
    const { stdout } = await bench.run(["status", run]);
    expect(stdout).toContain(`
  Ways out:
    try again, when the cause is fixed: waymark retry ${run}
    skip what cannot be done: waymark retry ${run}, then for each entry: waymark skip ${run} --reason '<why>'
    end the run: waymark abort ${run}
`);
    expect(stdout).toContain(`\nWhen the cause is fixed: waymark retry ${run}\n`);
    expect(stdout).not.toContain("waymark next");
    await bench.json(["retry", run]);
    expect((await bench.run(["skip", run, "--reason", "generated"])).stdout).toContain("as skipped");
    expect((await bench.run(["abort", run], { terminal: true, typed: ["y"] })).code).toBe(0);
  });

  test("undo that restores no file does not say that the batch is undone", async () => {
    const run = await started();
    await fixed(run);
    for (const path of ["src/A.al", "src/deep/B.al"]) await bench.write(path, `${await bench.read(path)}// mine\n`);
    const { code, stdout } = await bench.run(["undo", run]);
    expect(code).toBe(1);
    expect(stdout).toContain("Batch b1 is not undone: no file was restored.\n! 2 files were left as they are:\n");
    const again = JSON.parse((await bench.run(["undo", run, "--json"])).stdout) as unknown;
    expect(again).toMatchObject({
      batch: "b1",
      undone: false,
      restored: [],
      not_restored: [{ file: "src/A.al" }, { file: "src/deep/B.al" }],
    });
  });

  test("the report comes as Markdown, JSON and HTML, on stdout or as a file", async () => {
    const run = await started();
    expect((await bench.run(["report", run])).stdout).toMatch(/^# /);
    expect(await bench.json(["report", run])).toMatchObject({ session_id: run });
    expect((await bench.run(["report", run, "--format", "html"])).stdout).toMatch(/^<!doctype html>/i);
    const written = await bench.json(["report", run, "--format", "html", "--out", "out/review.html"]);
    expect(written).toMatchObject({ format: "html", interim: true });
    expect(await bench.read("out/review.html")).toContain("</html>");
  });

  test("export --format bc writes the session and its report, and follows no link out", async () => {
    const run = await started();
    const paths = await bench.json<{ session: string; report: string }>(["export", run, "--format", "bc"]);
    expect(paths.session).toBe(`${bench.workspace}/.bc-workflows/sessions/${run}.json`);
    const session = JSON.parse(readFileSync(paths.session, "utf8")) as {
      id: string;
      file_inventory: { checklist: { pattern_match?: { match_text: string; match_context?: string } }[] }[];
    };
    expect(session).toMatchObject({ id: run, workflow_type: migration, files_total: 3 });
    expect(session.file_inventory).toHaveLength(3);
    const matches = session.file_inventory.flatMap(({ checklist }) => checklist.flatMap(({ pattern_match: match }) => match ?? []));
    expect(matches.length).toBeGreaterThan(0);
    for (const { match_text, match_context } of matches) expect(match_context).toContain(match_text);
    expect(readFileSync(paths.report, "utf8")).toMatch(/^# /);
    expect((await bench.run(["export", run, "--format", "bc", "--out", "x"])).code).toBe(2);
    const linked = await openCliBench(files);
    mkdirSync(join(linked.home, "elsewhere"));
    symlinkSync(join(linked.home, "elsewhere"), join(linked.workspace, ".bc-workflows"));
    const { run_id: other } = await linked.json(["start", migration]);
    expect(await linked.run(["export", String(other), "--format", "bc"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("symbolic link"),
    });
    expect(readdirSync(join(linked.home, "elsewhere"))).toEqual([]);
    await linked.close();
  });

  test("commands about checklists refuse other runs", async () => {
    await bench.write(
      ".waymark/workflows/hello.yaml",
      'name: hello\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: a, type: user_message, message: hi }]\n',
    );
    const run = String((await bench.json(["start", "hello"]))["run_id"]);
    for (const argv of [
      ["undo", run],
      ["batch", run, "apply_fixes"],
      ["batch", run, "group_by_type"],
      ["report", run, "--format", "html"],
      ["export", run, "--format", "bc"],
    ])
      expect(await bench.run(argv), argv.join(" ")).toMatchObject({ code: 2, stderr: expect.stringContaining("ENGINE_NOT_A_CHECKLIST") });
    expect(await bench.run(["items", run, "--kind", "file"])).toMatchObject({ code: 2, stderr: expect.stringContaining("`--kind`") });
    expect((await bench.run(["skip", run, "--reason", "x"])).code).toBe(2);
    expect((await bench.run(["done", run])).code).toBe(0);
    expect(existsSync(join(bench.workspace, ".bc-workflows"))).toBe(false);
  });

  test("`waymark run` asks as it goes, fixes only after a clear yes, and comes to the end", async () => {
    const typed = ["apply_auto_first", "y", "skip", "skip a parameter", "skip meant so", ""];
    const { code, stdout, stderr } = await bench.run(["run", migration, "--by-hand"], { terminal: true, typed });
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toContain("Apply these fixes? [y/N] ");
    expect(stdout).toContain("Batch b1: 2 of 2 instances done");
    expect(stdout).toMatch(/Run \S+ is completed\./);
    const run = (await bench.run(["runs", "--ids"])).stdout.trim();
    expect((await bench.run(["items", run, "--status", "skipped"])).stdout).toContain("(a parameter)");
    const again = await openCliBench(files);
    const declined = await again.run(["run", migration, "--by-hand"], {
      terminal: true,
      typed: ["apply_auto_first", "no", "!cannot be read"],
    });
    expect(declined.code, declined.stderr).toBe(0);
    expect(declined.stdout).toContain("Left run");
    expect(await again.read("src/A.al")).toBe(files["src/A.al"]);
    await again.close();
  });
});
