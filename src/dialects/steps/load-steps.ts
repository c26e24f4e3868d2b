import type { Diagnostic, JsonObject } from "../../base/index.ts";
import type { InputSpec, Program } from "../../program/index.ts";
import { check } from "./check.ts";
import { collectInto, sortDiagnostics } from "./complaint.ts";
import type { ExpressionChecker } from "./expression-checker.ts";
import { lower } from "./lower.ts";
import { declarationsOf } from "./declarations.ts";
import { importTree, resolveSet, type ImportNode, type Resolved, type StepsSet } from "./resolve.ts";
import { mergedDefinition } from "./sections.ts";

/** What can be told of a workflow without running it; as much as could be read when the file has errors. */
export interface WorkflowInfo {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  readonly source: "project" | "global" | "bundled";
  /** The file it was found in. */
  readonly path: string;
  readonly imports: readonly ImportNode[];
  /** Names of the workflows it includes, directly or through others. */
  readonly includes: readonly string[];
  /** The definition as one document, imports merged in. */
  readonly definition: JsonObject;
  /** Errors of this file by itself; what depends on files that were not given is not counted. */
  readonly problems: number;
}

export interface LoadedSteps {
  /** Absent when there is at least one error. */
  readonly program?: Program;
  /** All problems of all files, main file first, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  readonly info: WorkflowInfo;
}

/** Parses, checks and lowers a workflow with everything it imports and includes. Never throws for what files hold. */
export function loadSteps(set: StepsSet, checker?: ExpressionChecker): LoadedSteps {
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

function infoOf(set: StepsSet, resolved: Resolved, diagnostics: readonly Diagnostic[]): WorkflowInfo {
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
