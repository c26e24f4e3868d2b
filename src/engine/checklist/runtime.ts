import type { Expr } from "../../program/index.ts";
import { nothing, plainAction, type EffectLeaf, type LeafArgs, type Run, type Runtime } from "../runtime.ts";
import { checklistAt, decodeChecklist, type ChecklistConfig } from "./checklist-run.ts";

export type ChecklistEffect =
  | "inventory"
  | "guides"
  | "scan_chunk"
  | "summarise"
  | "look"
  | "check_entry"
  | "settle_instance"
  | "close_file"
  | "gate_files"
  | "verify"
  | "refresh"
  | "apply_edits"
  | "undo_edits";

/** Effects are loaded with the first one that is performed: runs of other dialects never wait for them. */
function effect(what: ChecklistEffect, runs: EffectLeaf<ChecklistConfig>["runs"]): EffectLeaf<ChecklistConfig> {
  return {
    runs,
    async perform(job) {
      const { checklistEffects } = await import("../effects/checklist-effects.ts");
      return checklistEffects[what]({ ...job, context: job.engine, run: checklistAt(job) });
    },
  };
}

const effects: Readonly<Record<ChecklistEffect, EffectLeaf<ChecklistConfig>>> = {
  inventory: effect("inventory", nothing),
  guides: effect("guides", nothing),
  scan_chunk: effect("scan_chunk", nothing),
  summarise: effect("summarise", nothing),
  look: effect("look", nothing),
  check_entry: effect("check_entry", nothing),
  settle_instance: effect("settle_instance", nothing),
  close_file: effect("close_file", nothing),
  gate_files: effect("gate_files", nothing),
  // Commands of the settings have a permission of their own, which `verify` asks for when it runs them.
  verify: effect("verify", (args) => commandsOf(args["commands"])),
  refresh: effect("refresh", nothing),
  apply_edits: effect("apply_edits", nothing),
  undo_edits: effect("undo_edits", nothing),
};

export const checklistRuntime: Runtime<ChecklistConfig> = {
  decode: decodeChecklist,
  leaves: { ...effects, check: plainAction, run_phase: plainAction, batch_apply: plainAction, complete_workflow: plainAction },
};

function commandsOf(commands: LeafArgs[string] | undefined): readonly Run[] {
  const list: Expr["of"] | undefined = commands?.of;
  if (!Array.isArray(list)) return [];
  return (list as readonly { readonly command?: unknown }[]).flatMap(({ command }): readonly Run[] =>
    typeof command === "string" ? [{ kind: "command", text: command }] : [],
  );
}
