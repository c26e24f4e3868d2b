import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { defined, counted } from "../../base/index.ts";
import { exitCodes, failure } from "../codes.ts";
import type { Shares } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { foundFile, looksLikeFile } from "../load-named.ts";
import { parseCount } from "../parse-values.ts";
import type { Session } from "../session.ts";
import { coverage, percentTaken, type Way } from "../testing/coverage.ts";
import { parseTestFile } from "../testing/parse-test-file.ts";
import { runTest, type TestResult } from "../testing/run-test.ts";
import { scriptedHost, type ScriptedHost } from "../testing/scripted-host.ts";
import { shiftedStore } from "../testing/shifted-store.ts";
import { openTestFolder, type TestFolder } from "../testing/test-folder.ts";
import type { TestParts } from "../world.ts";
import { testFilesOf } from "../testing/test-files.ts";
import type { TestFile, WorkflowTest } from "../testing/workflow-test.ts";

export async function testCommand({ session, shares, args, options }: Given): Promise<number> {
  const { out, workspace } = session;
  const least = options["minCoverage"] === undefined ? 0 : parseCount(options["minCoverage"], "--min-coverage");
  const paths = args.length > 0 ? args.map((path) => session.pathOf(path)) : await testFilesOf(session);
  if (paths.length === 0)
    throw failure(
      "CLI_FILE",
      `There is no test file in \`${workspace}\`.`,
      "Write one beside a workflow: `<workflow>.waymark-test.yaml`; `waymark test --help` shows an example.",
    );
  const results: Awaited<ReturnType<typeof runFile>>[] = [];
  for (const path of paths) {
    const file = await readTestFile(session, path);
    const chosen = options["only"] === undefined ? file.tests : file.tests.filter((test) => test.name.includes(String(options["only"])));
    if (chosen.length > 0) results.push(await runFile(session, shares, { ...file, tests: chosen }));
  }
  const tests = results.flatMap((result) => result.tests);
  const failed = tests.filter((test) => test.problems.length > 0).length;
  const thin = results.filter((result) => percentTaken(result.ways) < least);
  out.document({
    passed: tests.length - failed,
    failed,
    ...(least > 0 ? { min_coverage: least, below: thin.map((result) => result.workflow) } : {}),
    files: results.map(({ path, workflow, tests: run, ways }) => ({
      file: path,
      workflow,
      tests: run.map(({ name, problems }) => ({ name, passed: problems.length === 0, problems })),
      coverage: { percent: percentTaken(ways), ways },
    })),
  });
  if (tests.length === 0)
    throw failure("CLI_BAD_VALUE", `No test has \`${String(options["only"])}\` in its name.`, "Look at the names in the test files.");
  out.line(`\n${counted(tests.length, "test")}, ${tests.length - failed} passed, ${failed} failed.`);
  for (const result of thin)
    out.line(
      `${out.paint("red", "✗")} ${result.workflow}: ${percentTaken(result.ways)} % of its branches were taken, ${least} % are demanded.`,
    );
  return failed > 0 || thin.length > 0 ? exitCodes.failed : exitCodes.done;
}

async function readTestFile({ world }: Session, path: string): Promise<TestFile> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw failure("CLI_FILE", `\`${path}\` cannot be read: ${(error as Error).message}.`);
  });
  const parsed = await world.parseYaml(text, path);
  const stem = path.replace(/\.waymark-test\.ya?ml$/i, "");
  const beside = [".yaml", ".yml", ".workflow.yaml", ".workflow.yml"].map((end) => `${stem}${end}`).find((file) => existsSync(file));
  const { file, problems } = parseTestFile(path, parsed, beside ?? "");
  if (file === undefined) {
    const shown = await Promise.all(problems.map((problem) => world.renderDiagnostic(problem, text)));
    const lines = shown.map((problem) => problem.trimEnd()).join("\n");
    throw failure("CLI_TEST_FILE", `\`${path}\` has ${counted(problems.length, "problem")}:\n${lines}`);
  }
  if (file.workflow === "")
    throw failure("CLI_TEST_FILE", `\`${path}\` names no workflow, and none is beside it.`, "Add `workflow: <name>` to it.");
  return file;
}

async function runFile(session: Session, shares: Shares, file: TestFile) {
  const { out, workspace } = session;
  const shown = relative(workspace, file.path) || file.path;
  const runs: TestResult[] = [];
  out.line(`${out.paint("bold", shown)}`);
  let workflow = file.workflow;
  for (const test of file.tests) {
    const { result, name } = await runOne(session, file, test);
    workflow = name;
    runs.push(result);
    out.line(`  ${result.problems.length === 0 ? out.paint("green", "✓") : out.paint("red", "✗")} ${result.name}`);
    for (const problem of result.problems) out.line(`      ${problem}`);
  }
  const program = runs.find((run) => run.program !== undefined)?.program;
  const all = runs.map(({ events }) => events);
  const ways = program === undefined ? [] : coverage(program, all, (await shares.of(program.dialect)).branches?.(program));
  showCoverage(session, ways);
  return { path: shown, workflow, tests: runs, ways };
}

/** Each test has a store of its own, so that no test sees another one's runs, and one with an agent a folder of its own. */
async function runOne(
  session: Session,
  file: TestFile,
  test: WorkflowTest,
): Promise<{ readonly result: TestResult; readonly name: string }> {
  const { agent } = test;
  const from = test.folder && resolve(dirname(file.path), test.folder);
  const folder = agent === undefined && from === undefined ? undefined : await openTestFolder(from);
  try {
    return await runIn(session, file, test, folder);
  } finally {
    await folder?.remove();
  }
}

async function runIn(
  { world, flags, workspace }: Session,
  file: TestFile,
  test: WorkflowTest,
  folder: TestFolder | undefined,
): Promise<{ readonly result: TestResult; readonly name: string }> {
  const path = looksLikeFile(file.workflow) ? resolve(dirname(file.path), file.workflow) : undefined;
  let scripted: ScriptedHost | undefined;
  let clock: ReturnType<typeof shiftedStore> | undefined;
  const engine = await world.openTestEngine({
    workspace,
    ...defined({ logFile: flags.logFile, agent: scriptOf(file, test) }),
    host: (host) => {
      scripted = scriptedHost(host, test, path);
      return scripted.host;
    },
    store: (store) => {
      clock = shiftedStore(store);
      return clock.store;
    },
  });
  const { context, runner } = engine;
  try {
    const found = path === undefined ? undefined : await foundFile(context.host.definitions, path);
    const name = found === undefined ? file.workflow : (await context.catalog.loadFile(found)).info.name;
    const { ran = [], unscripted = [] } = scripted ?? {};
    const stage = { context, jumpTo: async (time: number) => clock?.jumpTo(time), ran, unscripted, ...defined({ folder, runner }) };
    return { name, result: await runTest(stage, name, test) };
  } finally {
    await engine.close();
  }
}

/** A text is the path of a script; a map is the script itself. */
function scriptOf(file: TestFile, { agent }: WorkflowTest): TestParts["agent"] {
  if (agent === undefined) return undefined;
  return typeof agent === "string" ? { file: resolve(dirname(file.path), agent) } : { script: agent, in: file.path };
}

function showCoverage({ out }: Session, ways: readonly Way[]): void {
  if (ways.length === 0) return;
  const taken = (some: readonly Way[], what: string): string[] =>
    some.length === 0 ? [] : [`${some.filter((way) => way.taken).length} of ${some.length} ${what}`];
  const [flow, errors] = [ways.filter(({ kind }) => kind !== "error"), ways.filter(({ kind }) => kind === "error")];
  const parts = [...taken(flow, `branches and loops (${percentTaken(ways)} %)`), ...taken(errors, "error paths")];
  out.line(out.paint("dim", `  taken: ${parts.join(", ")}`));
  for (const { block, way, place } of ways.filter((each) => !each.taken))
    out.line(out.paint("dim", `    not taken: ${block} ${way}${place === undefined ? "" : `  ${place.file}:${place.line}`}`));
}
