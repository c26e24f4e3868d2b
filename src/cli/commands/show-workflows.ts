import { WaymarkError, type Json, shorten, visibleText } from "../../base/index.ts";
import { errorsIn, lineOfRun, mask, runsToAllow, whatItRuns, type EngineContext, type LoadedWorkflow } from "../../engine/index.ts";
import { shownInputs } from "../../views/index.ts";
import { exitCodes } from "../codes.ts";
import type { ShownRule } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { loadNamed, searchedFolders } from "../load-named.ts";
import { rolesOf, showRoles } from "../bound-roles.ts";
import type { Output } from "../output.ts";
import type { Session } from "../session.ts";
import { startLine } from "../start-lines.ts";
import { isTestFile } from "../testing/test-files.ts";
import type { PlanFormat } from "../world.ts";

export async function listCommand({ session, options }: Given): Promise<void> {
  const { out } = session;
  const { all, folders } = await session.withEngine(async (context) => ({
    all: await context.catalog.list(options["global"] !== false),
    folders: searchedFolders(context),
  }));
  const found = all.filter((entry) => !isTestFile(entry.path));
  const workflows = found.filter((entry) => options["all"] === true || !entry.shadowed);
  const hasOwn = workflows.some((entry) => entry.source === "project");
  out.document({ workflows, ...(hasOwn ? {} : { looked_in: folders }) });
  if (options["names"] === true) for (const entry of workflows) out.line(entry.name);
  else if (workflows.length > 0) {
    const rows = workflows.map((entry) => [
      entry.name,
      `${entry.source}${entry.shadowed ? " (shadowed)" : ""}`,
      entry.version,
      entry.problems > 0 ? out.placed(`has problems: waymark validate ${entry.name}`) : shorten(entry.description, 70),
    ]);
    out.table(["NAME", "SOURCE", "VERSION", "DESCRIPTION"], rows);
    const hidden = found.filter((entry) => entry.shadowed).map(({ name, source }) => `${name} (${source})`);
    if (hidden.length > 0 && options["all"] !== true)
      out.advice(`Shadowed by one of the same name: ${hidden.join(", ")}. See waymark list --all.`);
  }
  const none = `The project has no workflows of its own. Waymark looked in ${folders.join(", ")}.`;
  if (options["names"] === true) return hasOwn ? undefined : out.aside(none);
  if (!hasOwn) out.line(none);
  const [first] = workflows;
  out.hint(first === undefined ? "→ waymark init --example writes a small one to begin with." : `→ waymark info ${first.name}`);
}

export async function explainCommand({ session, args: [name = ""], options }: Given): Promise<void> {
  const { out, world } = session;
  const format: PlanFormat = out.json ? "json" : options["format"];
  const text = await session.withEngine(async (context) => {
    const { program, ...workflow } = await loadNamed(session, context, name);
    if (program === undefined)
      throw new WaymarkError({
        code: "ENGINE_INVALID_WORKFLOW",
        message: `\`${workflow.name}\` has ${errorsIn(workflow.diagnostics).count}, so it has no plan.`,
        fix: `Run \`waymark validate ${name}\` and fix what it shows.`,
      });
    const roles = rolesOf(context, program).map(({ role, from: _from, ...binding }) => [role, binding] as const);
    return world.explain(program, format, Object.fromEntries(roles), runsForPeople(whatItRuns(context, program)));
  });
  if (format === "text") out.line(text.trimEnd());
  else out.raw(text.endsWith("\n") ? text : `${text}\n`);
}

/** Commands in one line each; agents are started only by those who drive. */
function runsForPeople(runs: ReturnType<typeof whatItRuns>): readonly string[] {
  const lines = runs.filter(({ kind }) => kind !== "agent").map((run) => shorten(lineOfRun(run).replaceAll(/\s+/g, " "), 160));
  const drives = "With `waymark run` or `waymark drive`: a coding agent for each of the agent's parts. Without them you use your own.";
  return lines.length === runs.length ? lines : [...lines, drives];
}

export async function schemaCommand({ session, options }: Given): Promise<void> {
  session.out.raw(`${JSON.stringify(await session.world.schema(options["dialect"]), null, 2)}\n`);
}

export async function infoCommand({ session, shares, args: [name = ""] }: Given): Promise<number> {
  const { out } = session;
  return session.withEngine(async (context) => {
    const workflow = await loadNamed(session, context, name);
    const { program } = workflow;
    if (program === undefined) return showBroken(session, workflow);
    const {
      description = "",
      version = "",
      inputs: specs = {},
      computed = [],
    }: Partial<(typeof program.parts)[string]> = program.parts[program.main] ?? {};
    const runs = whatItRuns(context, program);
    const lines = runs.map(lineOfRun);
    const trust = await trustOf(context, { ...workflow, program }, lines);
    const roles = rolesOf(context, program);
    const share = await shares.of(program.dialect);
    const more = share.info?.(program) ?? [];
    const rules = share.rules?.(program) ?? [];
    out.document({
      name: workflow.name,
      description,
      version,
      source: workflow.source,
      path: workflow.path,
      imports: workflow.imports,
      inputs: shownInputs(specs),
      steps: Object.values(program.blocks).filter((block) => block.kind === "do").length,
      computed: computed.map((field) => field.name),
      runs: lines,
      run_details: runs,
      permission: trust,
      ...(more.length > 0 && { more }),
      ...(rules.length > 0 && { rules }),
      ...(roles.length > 0 && { roles }),
    });
    out.line(`${out.paint("bold", workflow.name)} ${version} (${workflow.source})`);
    if (description !== "") out.line(description);
    out.line(workflow.path);
    const inputs = Object.entries(specs).map(([input, spec]) => [input, spec.type, needOf(spec), spec.description ?? ""]);
    showTable(out, ["INPUT", "TYPE", "", "DESCRIPTION"], inputs);
    if (more.length > 0) out.line(["", ...more].join("\n"));
    showTable(out, ["RULE", "SEVERITY", "WHAT IT FINDS"], rules.map(ruleRow));
    showRoles(session, roles);
    if (runs.length > 0) {
      out.line();
      out.line(`It would run (${trustText[trust]}):`);
      for (const line of lines) out.line(`  ${shorten(visibleText(line), 160)}`);
    }
    out.line();
    out.hint(`→ ${trust === "needed" ? `waymark allow ${workflow.name}` : startLine(context, workflow.name, program)}`);
    return exitCodes.done;
  });
}

function showTable(out: Output, headings: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  out.line();
  out.table(headings, rows, "  ");
}

function ruleRow({ id, severity, name = "", description = "" }: ShownRule): readonly string[] {
  return [id, severity, shorten(description === "" ? name : description, 90)];
}

const trustText = { none: "needs no permission", given: "allowed", needed: "not allowed yet" } as const;

async function trustOf(
  context: EngineContext,
  workflow: Parameters<typeof runsToAllow>[1],
  runs: readonly string[],
): Promise<keyof typeof trustText> {
  if ((await runsToAllow(context, workflow)).length > 0) return "needed";
  return workflow.own || runs.length === 0 ? "none" : "given";
}

function needOf(spec: { readonly required: boolean; readonly default?: Json; readonly secret?: boolean }): string {
  const preset = spec.secret === true ? mask : shorten(JSON.stringify(spec.default) ?? "", 30);
  const need = spec.default !== undefined ? `default ${preset}` : spec.required ? "required" : "optional";
  return spec.secret === true ? `${need}, secret` : need;
}

function showBroken({ out }: Session, workflow: LoadedWorkflow): number {
  const { name, source, path, diagnostics } = workflow;
  out.document({ name, source, path, valid: false, diagnostics });
  out.line(`${name} (${path}) has ${errorsIn(workflow.diagnostics).count} and cannot run.`);
  out.hint(`→ waymark validate ${name}`);
  return exitCodes.failed;
}
