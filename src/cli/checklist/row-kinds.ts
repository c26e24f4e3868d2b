import type { checklistRows, ChecklistRun } from "../../dialects/checklist/run/index.ts";
import type { EngineContext } from "../../engine/index.ts";

/** Names for what the engine hands out, for this room. */
export type ChecklistDefinition = ChecklistRun["definition"];
export type ChecklistRows = ReturnType<typeof checklistRows>;
export type ChecklistRow = ChecklistRows extends { files(): AsyncIterable<infer Row> } ? Row : never;

export type WorkspaceFiles = EngineContext["workspace"];
export type ScanRules = Parameters<WorkspaceFiles["scan"]>[0]["rules"];
export type ScannedFile = ReturnType<WorkspaceFiles["scan"]> extends AsyncIterable<infer File> ? File : never;
export type ScanProblem = ScannedFile["problems"][number];
