import type { Diagnostic } from "../../../base/index.ts";
import { check } from "./check.ts";
import {
  collectInto,
  sortDiagnostics,
  type ExpressionChecker,
  type LoweredWorkflow,
  type SourceSet,
  type WorkflowInfo,
} from "../../../source/index.ts";
import { lower } from "./lower.ts";
import { declarationsOf } from "./declarations.ts";
import { importTree, resolveSet, type Resolved } from "./resolve.ts";
import { mergedDefinition } from "./sections.ts";

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

function infoOf(set: SourceSet, resolved: Resolved, diagnostics: readonly Diagnostic[]): WorkflowInfo {
  const { name, source, path } = set.main;
  const problems = diagnostics.filter((each) => each.severity === "error" && each.place?.file === path && !dependent.has(each.code)).length;
  const { main } = resolved;
  if (main === undefined)
    return { name, description: "", version: "", inputs: {}, source, path, imports: [], includes: [], definition: {}, problems };
  const { description, version, inputs } = declarationsOf(main);
  return {
    name: main.name,
    description,
    version,
    inputs,
    source,
    path,
    imports: importTree(main.file),
    includes: [...resolved.workflows.keys()].filter((each) => each !== main.name),
    definition: mergedDefinition(main.root, main.sections),
    problems,
  };
}
