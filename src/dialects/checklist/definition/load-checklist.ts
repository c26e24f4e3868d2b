import type { Diagnostic } from "../../../base/index.ts";
import type { Program } from "../../../program/index.ts";
import type { CallingSet, LoweredWorkflow, WorkflowInfo } from "../../../source/index.ts";
import type { ChecklistDefinition } from "./checklist-definition.ts";
import { lowerChecklist } from "./lower.ts";
import { parseChecklist, type ChecklistInfo } from "./parse-checklist.ts";
import { passedOn } from "./references.ts";

export function loadChecklist({ main, workflows, called, within }: CallingSet): LoweredWorkflow {
  const parsed = parseChecklist(main, { source: main.source });
  const found: Diagnostic[] = [...parsed.diagnostics];
  const own: Record<string, ChecklistDefinition> = {};
  for (const [name, file] of Object.entries(workflows)) {
    const { definition, diagnostics } = parseChecklist(file, { source: main.source });
    found.push(...diagnostics);
    if (definition !== undefined) own[name] = definition;
  }
  const foreign = Object.fromEntries(
    Object.entries(called).map(([name, { inputs }]) => [name, passedOn.filter((input) => Object.hasOwn(inputs, input))]),
  );
  const place = { file: main.path, line: 1, column: 1 };
  const wrong = found.some((each) => each.severity === "error");
  const program: Program | undefined =
    parsed.definition === undefined || wrong ? undefined : lowerChecklist({ main: parsed.definition, called: own, foreign, place, within });
  return { diagnostics: found, info: infoOf(parsed.info, program), ...(program === undefined ? {} : { program }) };
}

function infoOf({ title: _title, ...info }: ChecklistInfo, program: Program | undefined): WorkflowInfo {
  return { ...info, inputs: program?.parts[program.main]?.inputs ?? {} };
}
