import { type Diagnostic, defined, isList } from "../../../base/index.ts";
import type { Program } from "../../../program/index.ts";
import {
  type CallingSet,
  type ExpressionChecker,
  type LoweredWorkflow,
  child,
  has,
  parseFile,
  type SourceFile,
  listedTexts,
  referenceTo,
  type WorkflowReference,
} from "../../../source/index.ts";
import type { ChecklistDefinition } from "./checklist-definition.ts";
import { lowerChecklist } from "./lower.ts";
import { parseChecklist } from "./parse-checklist.ts";

export function loadChecklist({ main, workflows, called, within }: CallingSet, checker?: ExpressionChecker): LoweredWorkflow {
  const options = { source: main.source, ...defined({ checker }) };
  const parsed = parseChecklist(main, options);
  const found: Diagnostic[] = [...parsed.diagnostics];
  const own: Record<string, ChecklistDefinition> = {};
  for (const [name, file] of Object.entries(workflows)) {
    const { definition, diagnostics } = parseChecklist(file, options);
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
  const { title: _title, ...info } = parsed.info;
  const inputs = program?.parts[program.main]?.inputs ?? {};
  return { diagnostics: found, info: { ...info, inputs }, ...defined({ program }) };
}

const marks: readonly string[] = ["per_file_checklist", "file_patterns", "type"];

/**
 * Whether this is a checklist workflow, by its keys or by its name `*.workflow.yaml`, `.yml` or `.json`. A file with `steps`
 * is never one; a file with syntax errors is judged by what could be read.
 */
export function recogniseChecklist(file: SourceFile): boolean {
  const { root } = parseFile(file);
  if (has(root, "steps") || has(root, "machine") || /\.machine\.(?:ya?ml|json)$/i.test(file.path)) return false;
  if (/\.workflow\.(?:ya?ml|json)$/i.test(file.path)) return true;
  return isList(child(root, "phases")?.value) && marks.some((key) => has(root, key));
}

/** What a called workflow is given when it declares it: what the caller was started with. */
export const passedOn = ["scope", "path", "options"] as const;

/** Workflows that a checklist calls on its files. What it was started with is given to those that declare it. */
export function subWorkflowsOf(file: SourceFile): WorkflowReference[] {
  return listedTexts(parseFile(file).root, "sub_workflows").flatMap((node) =>
    node.value === "" ? [] : [{ ...referenceTo(node, node.value, passedOn), ifDeclared: true }],
  );
}
