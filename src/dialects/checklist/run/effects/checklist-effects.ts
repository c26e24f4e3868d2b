import type { Perform } from "../checklist-run.ts";
import { performApplyEdits } from "./apply-edits.ts";
import type { ChecklistEffect } from "../runtime.ts";
import { performCheckEntry, performCloseFile, performGateFiles, performLook } from "./file-effects.ts";
import { performGuides, performInventory } from "./inventory.ts";
import { performLookAgain } from "./look-again.ts";
import { performRefresh } from "./refresh.ts";
import { performFindTools, performRunTools } from "./run-tools.ts";
import { performScanChunk, performSummarise } from "./scan-chunk.ts";
import { performSettleInstance } from "./settle-instance.ts";
import { performUndoEdits } from "./undo-edits.ts";
import { performVerify } from "./verify.ts";

/** Effects of checklists by the name their blocks have. Each may be done again after a crash: contents tell what was done. */
export const checklistEffects: Readonly<Record<ChecklistEffect, Perform>> = {
  inventory: performInventory,
  guides: performGuides,
  find_tools: performFindTools,
  run_tools: performRunTools,
  scan_chunk: performScanChunk,
  summarise: performSummarise,
  look: performLook,
  check_entry: performCheckEntry,
  settle_instance: performSettleInstance,
  close_file: performCloseFile,
  gate_files: performGateFiles,
  verify: performVerify,
  look_again: performLookAgain,
  refresh: performRefresh,
  apply_edits: performApplyEdits,
  undo_edits: performUndoEdits,
};
