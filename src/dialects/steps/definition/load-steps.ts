import type { Diagnostic } from "../../../base/index.ts";
import { check } from "./check.ts";
import {
  collectInto,
  sortDiagnostics,
  withoutPart,
  child,
  isText,
  listedTexts,
  parseFile,
  readRouting,
  referenceTo,
  textAt,
  type ExpressionChecker,
  type LoweredWorkflow,
  type SourceSet,
  type WorkflowInfo,
  type CallingSet,
  type SourceFile,
  type WorkflowReference,
} from "../../../source/index.ts";
import { lower } from "./lower.ts";
import { declarationsOf } from "./declarations.ts";
import { importTree, resolveSet, type Resolved } from "./resolve.ts";
import { mergedDefinition } from "./sections.ts";
import { allSteps } from "./generation.ts";
import { hasHole } from "./template.ts";

/** Parses, checks and lowers a workflow with everything it imports and includes. Never throws for what files hold. */
export function loadSteps(set: SourceSet, checker?: ExpressionChecker): LoweredWorkflow {
  const found: Diagnostic[] = [];
  const resolved = resolveSet(set, found);
  check(resolved, set.main.name, collectInto(found), checker);
  const diagnostics = sortDiagnostics(found, set.main.path);
  const info = infoOf(set, resolved, diagnostics);
  if (resolved.main === undefined || diagnostics.some((each) => each.severity === "error")) return { diagnostics, info };
  return { program: lower(resolved, resolved.main), diagnostics, info };
}

/** Errors that may be gone when the files around this one are given. */
const dependent: ReadonlySet<string> = new Set([
  "STEPS_IMPORT_NOT_FOUND",
  "STEPS_UNKNOWN_WORKFLOW",
  "STEPS_UNKNOWN_TASK",
  "STEPS_UNKNOWN_FROM",
]);

function infoOf(set: SourceSet, { main, workflows }: Resolved, diagnostics: readonly Diagnostic[]): WorkflowInfo {
  const { name, source, path } = set.main;
  const problems = diagnostics.filter((each) => each.severity === "error" && each.place?.file === path && !dependent.has(each.code)).length;
  const { description, version, inputs } = main === undefined ? { description: "", version: "", inputs: {} } : declarationsOf(main);
  return {
    name: main?.name ?? name,
    description,
    routing: readRouting(main?.root),
    version,
    inputs,
    source,
    path,
    imports: main === undefined ? [] : importTree(main.file),
    includes: [...workflows.keys()].filter((each) => each !== main?.name),
    definition: main === undefined ? {} : mergedDefinition(main.root, main.sections),
    problems,
  };
}

/** Steps may call workflows of other dialects: a stand-in takes their place, so that what the step says about them is checked. */
export function loadCalling(
  { called, programs: _programs, within: _within, ...set }: CallingSet,
  checker?: ExpressionChecker,
): LoweredWorkflow {
  const standIns = Object.fromEntries(Object.entries(called).map(([name, info]) => [name, standIn(name, info)]));
  const own = loadSteps({ ...set, workflows: { ...set.workflows, ...standIns } }, checker);
  if (own.program === undefined) return own;
  const program = Object.keys(called).reduce((left, name) => withoutPart(left, name), own.program);
  return { ...own, program };
}

function standIn(name: string, { path, description, inputs }: WorkflowInfo): SourceFile {
  const declared = Object.fromEntries(
    Object.entries(inputs).map(([key, { type, description: about = key, default: preset, required }]) => [
      key,
      { type: type === "any" ? "object" : type, description: about, required, ...(preset === undefined ? {} : { default: preset }) },
    ]),
  );
  const steps = [{ id: "stand_in", type: "user_message", message: "-" }];
  return {
    path,
    text: JSON.stringify({ name, description: description === "" ? name : description, version: "1.0.0", inputs: declared, steps }),
  };
}

/** References under `imports`, as written, each once. Paths are relative to the file, then to the workflows folder. */
export function importsOf(file: SourceFile): string[] {
  const { root } = parseFile(file);
  return [...new Set(listedTexts(root, "imports").map((node) => node.value))];
}

/** Workflows that steps of the file include, wherever they are in it. */
export function callsOf(file: SourceFile): WorkflowReference[] {
  const { root } = parseFile(file);
  if (root === undefined) return [];
  return allSteps(root)
    .filter((step) => textAt(step, "type") === "include_workflow")
    .map((step) => child(step, "workflow"))
    .flatMap((node) => (isText(node) && node.value !== "" && !hasHole(node.value) ? [referenceTo(node, node.value)] : []));
}
