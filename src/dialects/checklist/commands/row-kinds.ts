import type { checklistRows, ChecklistRun } from "../run/index.ts";
import type { EngineContext } from "../../../engine/index.ts";

/** Names for what the engine hands out. */
export type ChecklistDefinition = ChecklistRun["definition"];
type ChecklistRows = ReturnType<typeof checklistRows>;
export type ChecklistRow = ChecklistRows extends { files(): AsyncIterable<infer Row> } ? Row : never;

type WorkspaceFiles = EngineContext["workspace"];
export type ScanRules = Parameters<WorkspaceFiles["scan"]>[0]["rules"];
export type ScannedFile = ReturnType<WorkspaceFiles["scan"]> extends AsyncIterable<infer File> ? File : never;
export type ScannedInstance = ScannedFile["instances"][number];
export type ScanProblem = ScannedFile["problems"][number];
export type Inventory = Awaited<ReturnType<WorkspaceFiles["inventory"]>>;
