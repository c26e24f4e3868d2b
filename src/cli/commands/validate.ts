import { type Diagnostic, counted } from "../../base/index.ts";
import type { EngineContext, LoadedWorkflow } from "../../engine/index.ts";
import { exitCodes, failure } from "../codes.ts";
import { collisionWarnings } from "../collision-warnings.ts";
import type { Given } from "../define-command.ts";
import { loadNamed, searchedFolders } from "../load-named.ts";
import { renderError } from "../render-error.ts";
import type { Session } from "../session.ts";
import { isTestFile } from "../testing/test-files.ts";

interface Checked {
  readonly workflow: LoadedWorkflow;
  readonly errors: number;
  readonly warnings: number;
}

export async function validateCommand({ session, args, options }: Given): Promise<number> {
  const { out } = session;
  const strict = options["strict"] === true;
  return session.withEngine(async (context) => {
    const names = args.length > 0 ? args : await projectFiles(context);
    const alone: Checked[] = [];
    for (const name of names) {
      const workflow = await loadNamed(session, context, name);
      const more = workflow.program === undefined ? [] : await context.leaves.problems(workflow.program, workflow.files);
      const diagnostics = [...workflow.diagnostics, ...more];
      const errors = diagnostics.filter((problem) => problem.severity === "error").length;
      alone.push({ workflow: { ...workflow, diagnostics }, errors, warnings: diagnostics.length - errors });
    }
    const checked = await withCollisions(context, alone);
    const bad = checked.filter(({ errors, warnings }) => errors > 0 || (strict && warnings > 0));
    out.document({
      valid: checked.length > 0 && bad.length === 0,
      workflows: checked.map(({ workflow, errors }) => ({
        name: workflow.name,
        path: workflow.path,
        valid: errors === 0,
        diagnostics: workflow.diagnostics,
      })),
      ...(checked.length === 0 ? { looked_in: searchedFolders(context) } : {}),
    });
    if (!out.json) for (const entry of checked) await show(session, entry, shownOf(entry, checked));
    if (checked.length > 0) summarise(session, checked, bad.length);
    else {
      const message = `The workspace \`${session.workspace}\` has no workflows. Waymark looked in ${searchedFolders(context).join(", ")}.`;
      renderError(out, failure("CLI_NO_WORKFLOWS", message), false);
    }
    return checked.length === 0 || bad.length > 0 ? exitCodes.failed : exitCodes.done;
  });
}

/** With what the router cannot tell apart among the project's own workflows. */
async function withCollisions(context: EngineContext, checked: readonly Checked[]): Promise<readonly Checked[]> {
  const startable = await context.catalog.startable();
  const own = startable.filter(({ source, path }) => source === "project" && !isTestFile(path));
  const shown = own.map((entry) => ({ ...entry, shown: relativeTo(context.host.workspace, entry.path) }));
  const texts = new Map(checked.map(({ workflow: { path, files } }) => [path, files.find((file) => file.path === path)?.text]));
  const warnings = collisionWarnings(shown, (path) => texts.get(path));
  return checked.map((entry) => {
    const { workflow, warnings: before } = entry;
    const problems = warnings.filter(({ file }) => file === workflow.path).map(({ problem }) => problem);
    if (problems.length === 0) return entry;
    return { ...entry, workflow: { ...workflow, diagnostics: [...workflow.diagnostics, ...problems] }, warnings: before + problems.length };
  });
}

function relativeTo(workspace: string, path: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

/** Files, not names: two files of one name are then both checked. */
async function projectFiles(context: EngineContext): Promise<readonly string[]> {
  const found = await context.host.definitions.find();
  return found.filter((entry) => entry.source === "project" && !isTestFile(entry.path)).map((entry) => entry.path);
}

/** What is wrong in a file that is checked itself is shown and counted there, not again for every workflow that calls it. */
function shownOf({ workflow }: Checked, checked: readonly Checked[]): readonly Diagnostic[] {
  const key = ({ code, message, place }: Diagnostic): string => JSON.stringify([code, message, place]);
  const others = checked.filter((entry) => entry.workflow.path !== workflow.path);
  const there = new Set(
    others.flatMap(({ workflow: { path, diagnostics } }) => diagnostics.filter(({ place }) => place?.file === path).map(key)),
  );
  return workflow.diagnostics.filter((problem) => !there.has(key(problem)));
}

async function show({ world, out }: Session, { workflow, errors, warnings }: Checked, shown: readonly Diagnostic[]): Promise<void> {
  const mark = errors > 0 ? out.paint("red", "✗") : warnings > 0 ? out.paint("yellow", "!") : out.paint("green", "✓");
  out.line(`${mark} ${workflow.name}  ${out.paint("dim", workflow.path)}`);
  const texts = new Map(workflow.files.map((file) => [file.path, file.text]));
  const called = new Set(workflow.diagnostics.flatMap((problem) => (shown.includes(problem) ? [] : (problem.place?.file ?? []))));
  for (const file of called) out.line(`  calls what is in ${file}, whose problems are shown there`);
  for (const problem of inOrder(shown)) {
    const rendered = await world.renderDiagnostic(problem, problem.place === undefined ? undefined : texts.get(problem.place.file));
    out.line(`\n${rendered.trimEnd()}`);
  }
  if (shown.length > 0) out.line();
}

/** By file and place, as a person fixes them. */
function inOrder(problems: readonly Diagnostic[]): readonly Diagnostic[] {
  return problems.toSorted((a, b) => {
    const [left, right] = [a.place, b.place];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    if (left.file !== right.file) return left.file < right.file ? -1 : 1;
    return left.line - right.line || left.column - right.column;
  });
}

function summarise({ out }: Session, checked: readonly Checked[], bad: number): void {
  const shown = checked.flatMap((entry) => shownOf(entry, checked));
  const errors = shown.filter(({ severity }) => severity === "error").length;
  out.line(`${counted(checked.length, "workflow")}, ${counted(errors, "error")}, ${counted(shown.length - errors, "warning")}.`);
  const [only] = checked;
  if (bad === 0 && checked.length === 1 && only !== undefined) out.hint(`→ waymark explain ${only.workflow.name}`);
}
