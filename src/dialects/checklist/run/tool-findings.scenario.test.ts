import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { closeEngine, next, progress, start } from "../../../engine/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import { driveToEnd, inHand } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import { lintWorkflow, openLinting, type Linting } from "../../../../test/support/linter-sample.ts";
import { gatherFacts } from "./commands/gather-facts.ts";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { reopenFailed } from "./commands/retry-checklist.ts";
import { reportCheck } from "./commands/check-report.ts";

import { toolLines } from "../views/tool-sections.ts";
import { analysisSummary } from "../views/analysis-summary.ts";

let engine: Pick<Linting, "close">;
afterEach(() => engine.close());
const fixed = { status: "completed" as const };

async function lint(files: Readonly<Record<string, string>>, workflow?: string): Promise<Linting> {
  const opened = await openLinting(files, workflow);
  engine = opened;
  const { run } = await start(opened.context, opened.caller, { workflow: "lint" });
  return { ...opened, run };
}

async function byFile(files: Readonly<Record<string, string>>, workflow?: string): Promise<Linting> {
  const opened = await lint(files, workflow);
  await progress(opened.context, opened.caller, { run: opened.run, result: "review_by_file" });
  return opened;
}

async function instances({ context, run }: Linting) {
  const rows = await context.store.selectItems(run, { list: "files", query: { facets: { kind: "instance" } }, limit: 1000 });
  return rows.map(({ status, parent, data, reason }) => ({ status, file: parent, reason, ...(data as Record<string, unknown>) }));
}

test("what a tool reports becomes instances with rule, severity, message and place", async () => {
  const opened = await byFile({ "a.js": "ok();\nlet x = bad; // bad\n", "b.js": "fine();\n" });
  expect(opened.ran).toEqual(["lint --all"]);
  expect(await instances(opened)).toMatchObject([
    {
      file: "a.js",
      pattern: "lint/no-bad",
      type: "no-bad",
      tool: "lint",
      rule: "no-bad",
      severity: "warning",
      message: "Do not write bad.",
      line: 2,
      column: 9,
      text: "bad",
      status: "in_progress",
    },
    { line: 2, column: 17, text: "bad", status: "pending" },
  ]);
  expect((await gatherFacts(opened.context, opened.run)).files).toMatchObject({ total: 2, completed: 1 });
});

test("a report waits for the tool, which settles it when nothing else is open: a fix is done, a lie is open again", async () => {
  const opened = await byFile({ "a.js": "bad(1);\nugly(2);\n", "b.js": "bad(3);\n" });
  const { context, caller, run, write, ran } = opened;
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", type: "no-bad" });
  await write("a.js", "good(1);\nugly(2);\n");
  await reportCheck(context, caller, { run, ...fixed });
  await next(context, caller, { run });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ total: 3, completed: 0, toVerify: 1, inProgress: 1, pending: 1 });
  await reportCheck(context, caller, { run, ...fixed });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js" });
  expect(ran).toHaveLength(1);
  await write("b.js", "good(3);\n");
  await reportCheck(context, caller, { run, ...fixed });
  const again = await next(context, caller, { run, waitMs: 5_000 });
  expect(ran).toHaveLength(2);
  expect(inHand(again)).toMatchObject({ what: "check", file: "a.js", type: "no-ugly" });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ total: 3, completed: 2, toVerify: 0, byHand: 2, inProgress: 1 });
  await write("a.js", "good(1);\n");
  expect(await driveToEnd(opened, run, () => fixed)).toBe(1);
  expect((await gatherFacts(context, run)).instances).toMatchObject({ total: 3, completed: 3, toVerify: 0 });
  await expectSound(context, run);
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});

test("reports that wait are settled also where every file failed for another reason, and then the run is blocked", async () => {
  const opened = await byFile({ "a.js": "bad();\nugly();\n" });
  const { context, caller, run, write } = opened;
  await next(context, caller, { run });
  await reportCheck(context, caller, { run, status: "failed", error: "Nobody knows how." });
  await next(context, caller, { run });
  await write("a.js", "bad();\nfine();\n");
  await reportCheck(context, caller, { run, ...fixed });
  const blocked = await next(context, caller, { run, waitMs: 5_000 });
  expect(JSON.stringify(blocked)).toContain("1 file failed, and none is left that could pass.");
  const found = await instances(opened);
  expect(found.map(({ status }) => status).toSorted()).toEqual(["completed", "failed"]);
  expect(await gatherFacts(context, run)).toMatchObject({ instances: { completed: 1, toVerify: 0, failed: 1 }, files: { blocked: 1 } });
});

test("three lies fail an instance with a reason, and a retry begins to count again", async () => {
  const opened = await byFile({ "a.js": "bad(1);\n", "b.js": "" });
  const { context, caller, run } = opened;
  expect(await driveToEnd(opened, run, () => fixed)).toBe(3);
  expect(await instances(opened)).toMatchObject([
    { status: "failed", reason: "lint still reports it after 3 reports that it was fixed: Do not write bad." },
  ]);
  expect((await gatherFacts(context, run)).files).toMatchObject({ blocked: 1, completed: 1 });
  expect(await reopenFailed(context, caller, run)).toBeGreaterThan(0);
  expect(await driveToEnd(opened, run, () => fixed)).toBe(3);
});

test("what an edit brings is found by the next look, in files that were done", async () => {
  const opened = await byFile({ "a.js": "bad(1);\n", "b.js": "fine();\n" });
  const { run, write } = opened;
  const seen: string[] = [];
  await driveToEnd(opened, run, async ({ file, type }) => {
    seen.push(`${file} ${type}`);
    await (seen.length === 1 ? write("b.js", "fine();\nugly();\n") : write("b.js", "fine();\n"));
    await write("a.js", "good(1);\n");
    return fixed;
  });
  expect(seen).toEqual(["a.js no-bad", "b.js no-ugly"]);
  expect((await gatherFacts(opened.context, run)).instances).toMatchObject({ total: 2, completed: 2 });
});

test("what moved is handed out at its place, and what was written anew and is still reported is the same instance", async () => {
  const opened = await byFile({ "a.js": "bad(1);\n\n\n\n\nugly(2);\n" });
  const { context, caller, run, write } = opened;
  await next(context, caller, { run });
  await write("a.js", "// one\n// two\ngood(1);\n\n\n\n\nugly(2);\n");
  await reportCheck(context, caller, { run, ...fixed });
  const { standing } = await next(context, caller, { run });
  expect(standing).toMatchObject({ kind: "action" });
  const row = (await instances(opened)).find(({ status }) => status === "in_progress");
  expect(row).toMatchObject({ line: 6, text: "ugly" });
});

test("twenty-five reports make the tool look in between", async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${String(at).padStart(2, "0")}.js`, "bad();\n"]));
  const opened = await byFile(many);
  const { run, write, ran } = opened;
  const looks: number[] = [];
  let reports = 0;
  await driveToEnd(opened, run, async ({ file }) => {
    looks.push(ran.length);
    reports += 1;
    await write(file, "good();\n");
    return fixed;
  });
  expect(reports).toBe(30);
  expect([looks[24], looks[25], ran.length]).toEqual([1, 2, 3]);
  expect((await gatherFacts(opened.context, run)).instances).toMatchObject({ completed: 30, toVerify: 0 });
});

test("only findings in the tool's files count, and those in others are counted apart", async () => {
  const opened = await byFile({ "a.js": "bad(1);\n", "lib/b.js": "bad(2);\n" }, lintWorkflow('    files: ["lib/**"]\n'));
  expect(await instances(opened)).toMatchObject([{ file: "lib/b.js" }]);
  const { tools } = (await opened.context.runs.open(opened.run)).state.scopes[mainScope]?.raw ?? {};
  expect(tools).toMatchObject({ counts: [{ tool: "lint", found: 1, suppressed: 0, outside: 1, without_place: 0 }] });
  const facts = await gatherFacts(opened.context, opened.run);
  expect(facts.tools).toEqual([{ tool: "lint", found: 1, suppressed: 0, outside: 1, withoutPlace: 0 }]);
  expect(toolLines(facts)).toEqual(["Tools: lint 1, 1 in other files"]);
  expect(analysisSummary(facts, {})).toMatchObject({ tools: [{ tool: "lint", found: 1, suppressed: 0, outside: 1, without_place: 0 }] });
});

// The linter of these tests sees the word in the comment too, so each comment settles two.
test("a comment that settles a finding is not a fix: it is skipped with its reason, and counted as suppressed", async () => {
  const opened = await byFile({ "a.js": "bad(1);\nbad(2); // waymark-ignore no-bad kept as it is\n" });
  const { context, run, write } = opened;
  const facts = await gatherFacts(context, run);
  expect(facts).toMatchObject({ instances: { total: 1, suppressed: 2 }, tools: [{ tool: "lint", found: 1, suppressed: 2 }] });
  await driveToEnd(opened, run, async () => {
    await write("a.js", "bad(1); // waymark-ignore lint/no-bad of the vendor\nbad(2); // waymark-ignore no-bad kept as it is\n");
    return fixed;
  });
  expect(await instances(opened)).toMatchObject([{ status: "skipped", reason: expect.stringMatching(/^suppressed in the file: /) }]);
  expect(await gatherFacts(context, run)).toMatchObject({ instances: { completed: 0, skipped: 1 }, tools: [{ found: 0, suppressed: 4 }] });
});

const perFile = "    per_file: lint {{file}}\n";

test("with a line for one file each report is settled at once", async () => {
  const opened = await byFile({ "a b.js": "bad(1);\nugly(2);\n" }, lintWorkflow(perFile));
  const { context, caller, run, write, ran } = opened;
  await next(context, caller, { run });
  await reportCheck(context, caller, { run, ...fixed });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ type: "no-bad" });
  expect(ran).toEqual(["lint --all", "lint 'a b.js'"]);
  await write("a b.js", "good(1);\nugly(2);\nugly(3);\n");
  await reportCheck(context, caller, { run, ...fixed });
  await next(context, caller, { run });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ total: 3, completed: 1, toVerify: 0 });
  const seen: string[] = [];
  await driveToEnd(opened, run, async ({ type }) => {
    seen.push(type);
    const text = await readFile(join(opened.folder, "a b.js"), "utf8");
    await write("a b.js", text.replace("ugly", "fine"));
    return fixed;
  });
  expect(seen).toEqual(["no-ugly", "no-ugly"]);
});

const broken = [
  [
    "it ends with an error and no line fits",
    { exitCode: 2, stdout: { text: "Oops\n", bytes: 5 }, stderr: "config not found" },
    "ended with exit code 2. Its error output ends with: config not found. No line that it printed fits",
  ],
  ["it cannot be started", { ended: "not_started", exitCode: null, problem: "no shell" }, "could not be started: no shell."],
  ["it takes too long", { ended: "timeout", exitCode: null, signal: "SIGTERM", ms: 300_000 }, "was stopped after 300 s"],
  ["a signal ends it", { exitCode: null, signal: "SIGKILL" }, "was ended by SIGKILL"],
] as const;

test.each(broken)("a broken tool is never zero findings: %s", async (_, outcome, says) => {
  const opened = await openLinting({ "a.js": "bad();\n" });
  engine = opened;
  opened.instead.push(outcome);
  const { run } = await start(opened.context, opened.caller, { workflow: "lint" });
  const facts = await gatherFacts(opened.context, run);
  expect(facts).toMatchObject({ status: "blocked", blocked: { reason: expect.stringContaining(says) } });
  expect(facts.blocked?.reason).toContain("`lint --all`");
  await reopenFailed(opened.context, opened.caller, run);
  await next(opened.context, opened.caller, { run, waitMs: 5_000 });
  expect((await gatherFacts(opened.context, run)).instances).toMatchObject({ total: 1, pending: 1 });
});

test("a tool that breaks at the second look settles nothing, and a retry continues", async () => {
  const opened = await byFile({ "a.js": "bad();\n" });
  const { context, caller, run, instead, write } = opened;
  await next(context, caller, { run });
  await write("a.js", "good();\n");
  instead.push({ exitCode: 1, stdout: { text: "", bytes: 0 }, stderr: "boom" });
  await reportCheck(context, caller, { run, ...fixed });
  await next(context, caller, { run, waitMs: 5_000 });
  expect(await gatherFacts(context, run)).toMatchObject({
    status: "blocked",
    blocked: { reason: expect.stringContaining("Its error output ends with: boom") },
    instances: { toVerify: 1, completed: 0 },
  });
  await reopenFailed(context, caller, run);
  await driveToEnd(opened, run, () => fixed);
  expect((await gatherFacts(context, run)).instances).toMatchObject({ toVerify: 0, completed: 1 });
});

test("a process that ends while a tool looks again leaves nothing undone: the next one looks from the start", async () => {
  const opened = await byFile({ "a.js": "bad();\n", "b.js": "bad();\n" });
  const { context, caller, run, write, hanging } = opened;
  for (const file of ["a.js", "b.js"]) {
    await next(context, caller, { run });
    if (file === "a.js") await write(file, "good();\n");
    if (file === "b.js") hanging.on = true;
    await reportCheck(context, caller, { run, ...fixed });
  }
  await next(context, caller, { run, waitMs: 100 });
  await closeEngine(context);
  hanging.on = false;
  const other = await opened.again();
  try {
    const { standing } = await next(other.context, caller, { run, waitMs: 10_000 });
    expect(standing).toMatchObject({ kind: "action", action: { args: { item: { file: "b.js" } } } });
    expect((await gatherFacts(other.context, run)).instances).toMatchObject({ completed: 1, toVerify: 0, inProgress: 1 });
  } finally {
    await closeEngine(other.context);
  }
});

test("findings in a file that cannot be looked through are counted among the problems", async () => {
  const { context, run } = await lint({ "a.js": "bad();\0\0\0\0\n", "b.js": "bad();\n" });
  const scan = context.workspace.scan({
    root: context.host.workspace,
    paths: ["a.js"],
    rules: { patterns: [] },
    findings: { "a.js": [{ tool: "lint", rule: "no-bad", severity: "warning", message: "m", path: "a.js", region: { line: 1 } }] },
  });
  for await (const { instances: found, problems } of scan) {
    expect(found).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(["SCAN_BINARY", "WORKSPACE_FINDINGS_NOT_LISTED"]);
    expect(problems.at(-1)?.message).toBe("`a.js` could not be looked through, which leaves out 1 finding of `lint`.");
  }
  expect((await gatherFacts(context, run)).problems?.join("\n")).toContain("WORKSPACE_FINDINGS_NOT_LISTED");
});
