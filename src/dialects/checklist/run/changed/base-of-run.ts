import { isObject, type Json, type JsonObject } from "../../../../base/index.ts";
import type { ChangedSince } from "../../definition/index.ts";
import type { RunState } from "../../../../kernel/index.ts";
import type { ChecklistRun } from "../checklist-run.ts";
import type { ChangeBase } from "./change-base.ts";

/** Whether a run is about changed files alone. */
export function wantsChanges({ since, changed_lines: lines }: JsonObject): boolean {
  return since !== undefined || lines === true;
}

/** What the files of the run were compared with when it began; undefined where it is not about changed files. */
export function baseOfRun({ raw }: Pick<ChecklistRun, "raw">): ChangeBase | undefined {
  return baseIn(raw["inventory"]);
}

/** The same as replies and reports show it. */
export function changedSinceOf(run: Pick<ChecklistRun, "raw" | "options">): ChangedSince | undefined {
  const found = baseOfRun(run);
  return found === undefined ? undefined : { ref: found.since, base: found.base, changed_lines: run.options["changed_lines"] === true };
}

/** What another checklist of the run was compared with that named the same: each call has an inventory of its own. */
export function pinnedBase({ scopes }: Pick<RunState, "scopes">, since: string): ChangeBase | undefined {
  for (const { inputs, raw } of Object.values(scopes)) {
    const base = baseIn(raw["inventory"]);
    if (base !== undefined && sinceOf(isObject(inputs["options"]) ? inputs["options"] : {}) === since) return base;
  }
  return undefined;
}

/** What was named to compare with; empty where nothing was. */
export function sinceOf({ since }: JsonObject): string {
  return typeof since === "string" ? since : "";
}

function baseIn(inventory: Json | undefined): ChangeBase | undefined {
  const base = isObject(inventory) ? inventory["changed_since"] : undefined;
  return isObject(base) ? (base as ChangeBase) : undefined;
}
