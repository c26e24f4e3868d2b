import { isObject, type Json, type JsonObject } from "../../base/index.ts";
import type { ChecklistDefinition, Lists } from "../../dialects/index.ts";
import { mainScope } from "../../kernel/index.ts";
import type { PatternSpec, ScanRules } from "../../ports/index.ts";
import { refused } from "../codes.ts";
import type { RunHandle } from "../run-cache.ts";

/** A run of a checklist as effects and commands see it: its definition, what it was started with, and its worklists. */
export interface ChecklistRun {
  readonly definition: ChecklistDefinition;
  /** Which phases are worked on together, by phase. */
  readonly stages: Readonly<Record<string, number>>;
  readonly lists: Lists;
  readonly inputs: JsonObject;
  readonly options: JsonObject;
  readonly raw: JsonObject;
  /** Whether it is the run's own workflow, not one that it calls. */
  readonly main: boolean;
}

/** undefined when the run is of another dialect. */
export function checklistOf(
  { program, state }: Pick<RunHandle, "program" | "state">,
  scopeId: string = mainScope,
): ChecklistRun | undefined {
  const scope = state.scopes[scopeId];
  const part = program.parts[scope?.part ?? program.main];
  const definition = part?.config["checklist"];
  if (program.dialect !== "checklist" || part === undefined || definition === undefined) return undefined;
  const inputs = scope?.inputs ?? {};
  const options = isObject(inputs["options"]) ? inputs["options"] : {};
  const main = part.name === program.main;
  return {
    definition: definition as unknown as ChecklistDefinition,
    lists: part.config["lists"] as unknown as Lists,
    stages: part.config["stages"] as unknown as ChecklistRun["stages"],
    inputs,
    options,
    raw: scope?.raw ?? {},
    main,
  };
}

export function requireChecklist(handle: RunHandle): ChecklistRun {
  const run = checklistOf(handle);
  if (run === undefined)
    throw refused(
      "ENGINE_NOT_A_CHECKLIST",
      `Run \`${handle.id}\` is of \`${handle.program.name}\`, which has no files and no batches.`,
      "Use it with the run of a checklist workflow, such as code-review.",
      {},
    );
  return run;
}

/** What is looked for: the patterns of the definition, and those that were taken from conversion guides. */
export function rulesOf({ definition, options, raw }: ChecklistRun): ScanRules {
  const guides = isObject(raw["guides"]) ? raw["guides"]["patterns"] : undefined;
  const patterns = definition.patterns.enabled
    ? ([
        ...definition.patterns.patterns,
        ...(Array.isArray(guides) ? (guides as readonly Json[]) : []),
      ] as unknown as readonly PatternSpec[])
    : [];
  return {
    patterns,
    maxFileBytes: definition.maxFileBytes,
    ...(typeof options["bc_version"] === "string" ? { bcVersion: options["bc_version"] } : {}),
  };
}

/** Whether all files are scanned at the beginning, or each one when it is handed out. */
export function scansAtOnce({ inputs }: ChecklistRun): boolean {
  const processing = inputs["initial_processing"];
  return !isObject(processing) || processing["scan_all_patterns"] !== false;
}

export function textList(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return Array.isArray(value) ? (value as readonly Json[]).filter((entry): entry is string => typeof entry === "string") : [];
}
