import type { Json } from "../../base/index.ts";
import { whatItRuns, mask, shownInputs, type EngineContext, type LoadedWorkflow } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { loadNamed } from "../load-named.ts";
import { shorten } from "../render-table.ts";
import type { Session } from "../session.ts";

export async function infoCommand({ session, args: [name = ""] }: Given): Promise<number> {
  return session.withEngine(async (context) => {
    const workflow = await loadNamed(session, context, name);
    const { program } = workflow;
    if (program === undefined) return showBroken(session, workflow);
    const part = program.parts[program.main];
    const runs = whatItRuns(context, program);
    const trust = await trustOf(context, workflow, runs);
    const specs = part?.inputs ?? {};
    const inputs = Object.entries(specs);
    session.out.document({
      name: workflow.name,
      description: part?.description ?? "",
      version: part?.version ?? "",
      source: workflow.source,
      path: workflow.path,
      imports: workflow.imports,
      inputs: shownInputs(specs),
      steps: Object.values(program.blocks).filter((block) => block.kind === "do").length,
      computed: (part?.computed ?? []).map((field) => field.name),
      runs,
      permission: trust,
    });
    const { out } = session;
    out.line(`${out.paint("bold", workflow.name)} ${part?.version ?? ""} (${workflow.source})`);
    if ((part?.description ?? "") !== "") out.line(part?.description);
    out.line(workflow.path);
    if (inputs.length > 0) {
      out.line();
      out.table(
        ["INPUT", "TYPE", "", "DESCRIPTION"],
        inputs.map(([input, spec]) => [input, spec.type, needOf(spec), spec.description ?? ""]),
        "  ",
      );
    }
    if (runs.length > 0) {
      out.line();
      out.line(`It would run (${trustText[trust]}):`);
      for (const line of runs) out.line(`  ${shorten(line, 160)}`);
    }
    const given = inputs.filter(([, spec]) => spec.required && spec.default === undefined).map(([input]) => ` --input ${input}=...`);
    out.line();
    out.hint(`→ ${trust === "needed" ? `waymark allow ${workflow.name}` : `waymark start ${workflow.name}${given.join("")}`}`);
    return exitCodes.done;
  });
}

const trustText = { none: "needs no permission", given: "allowed", needed: "not allowed yet" } as const;

async function trustOf(context: EngineContext, workflow: LoadedWorkflow, runs: readonly string[]): Promise<keyof typeof trustText> {
  if (workflow.source !== "project" || runs.length === 0) return "none";
  return (await context.host.permissions.find(workflow.hash)) === undefined ? "needed" : "given";
}

function needOf(spec: { readonly required: boolean; readonly default?: Json; readonly secret?: boolean }): string {
  const need =
    spec.default !== undefined
      ? `default ${spec.secret === true ? mask : shorten(JSON.stringify(spec.default), 30)}`
      : spec.required
        ? "required"
        : "optional";
  return spec.secret === true ? `${need}, secret` : need;
}

function showBroken({ out }: Session, workflow: LoadedWorkflow): number {
  const errors = workflow.diagnostics.filter((problem) => problem.severity === "error");
  out.document({ name: workflow.name, source: workflow.source, path: workflow.path, valid: false, diagnostics: workflow.diagnostics });
  out.line(`${workflow.name} (${workflow.path}) has ${errors.length} ${errors.length === 1 ? "error" : "errors"} and cannot run.`);
  out.hint(`→ waymark validate ${workflow.name}`);
  return exitCodes.failed;
}
