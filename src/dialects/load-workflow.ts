import type { Diagnostic } from "../base/index.ts";
import type { Program } from "../program/index.ts";
import { lowerChecklist } from "./checklist/lower.ts";
import { parseChecklist, type ChecklistInfo } from "./checklist/parse-checklist.ts";
import { recogniseChecklist } from "./checklist/recognise-checklist.ts";
import { subWorkflowsOf } from "./checklist/sub-workflows-of.ts";
import type { ChecklistDefinition } from "./checklist/definition.ts";
import type { ExpressionChecker } from "./steps/expression-checker.ts";
import { loadSteps, type LoadedSteps, type WorkflowInfo } from "./steps/load-steps.ts";
import { callsOf, importsOf } from "./steps/references.ts";
import type { StepsSet } from "./steps/resolve.ts";
import type { SourceFile } from "./steps/source-node.ts";

export type Dialect = "steps" | "checklist";

/** Whose file this is; what is nobody's is judged as steps, which say what they miss. */
export function dialectOf(file: SourceFile): Dialect {
  return recogniseChecklist(file) ? "checklist" : "steps";
}

/** Names of other workflows that the file calls, whatever its dialect. */
export function workflowsCalledBy(file: SourceFile): readonly string[] {
  return dialectOf(file) === "checklist" ? subWorkflowsOf(file) : callsOf(file);
}

export function filesImportedBy(file: SourceFile): readonly string[] {
  return dialectOf(file) === "checklist" ? [] : importsOf(file);
}

/** Parses, checks and lowers a workflow of any dialect. Never throws for what files hold. */
export function loadWorkflow(set: StepsSet, checker?: ExpressionChecker): LoadedSteps {
  return dialectOf(set.main) === "checklist" ? loadChecklist(set) : loadSteps(set, checker);
}

function loadChecklist(set: StepsSet): LoadedSteps {
  const parsed = parseChecklist(set.main, { source: set.main.source });
  const found: Diagnostic[] = [...parsed.diagnostics];
  const called: Record<string, ChecklistDefinition> = {};
  for (const [name, file] of Object.entries(set.workflows)) {
    const other = parseChecklist(file, { source: set.main.source });
    if (other.definition !== undefined && dialectOf(file) === "checklist") called[name] = other.definition;
    else
      found.push({
        code: "CHECKLIST_BAD_CALL",
        severity: "error",
        message: `\`${name}\` in ${file.path} cannot be called: it is no checklist, or it has errors.`,
        fix: `Run \`waymark validate ${name}\`, or remove it from \`sub_workflows\`.`,
        place: { file: set.main.path, line: 1, column: 1 },
      });
  }
  for (const name of parsed.definition?.subWorkflows ?? []) {
    if (set.workflows[name] === undefined && Object.keys(set.workflows).length + Object.keys(set.imports).length > 0)
      found.push(unknownCall(set.main.path, name));
  }
  const place = { file: set.main.path, line: 1, column: 1 };
  const wrong = found.some((each) => each.severity === "error");
  const program: Program | undefined =
    parsed.definition === undefined || wrong ? undefined : lowerChecklist({ main: parsed.definition, called, place });
  return { diagnostics: found, info: infoOf(parsed.info, program), ...(program === undefined ? {} : { program }) };
}

function unknownCall(file: string, name: string): Diagnostic {
  return {
    code: "CHECKLIST_BAD_CALL",
    severity: "error",
    message: `There is no workflow \`${name}\` to call.`,
    fix: "Correct the name in `sub_workflows`, or remove it.",
    place: { file, line: 1, column: 1 },
  };
}

function infoOf({ title: _title, ...info }: ChecklistInfo, program: Program | undefined): WorkflowInfo {
  return { ...info, inputs: program?.parts[program.main]?.inputs ?? {} };
}
