/** What the engine needs from outside, as types only. Adapters implement these; the engine never sees an adapter. */
export type { Alarms } from "./alarms.ts";
export type { Commit, JournalRecord, Lease, NewRecord, RunFilter, RunRow, RunSummary, Store } from "./store.ts";
export type { BlobFacts, ItemChange, ItemCounts, ItemSelection } from "./store.ts";
export type { Sandbox, SandboxLimits, SandboxRequest, SandboxResult } from "./sandbox.ts";
export type { Host, Permission, Permissions, ViewFiles } from "./host.ts";
export type { CapturedOutput, CommandOutcome, CommandRequest, Commands, ToolOutcome, Tools } from "./host.ts";
export type { Definitions, FoundWorkflow, SourceFile } from "./host.ts";
export type { Encoding, Inventory, InventoryFile, InventoryRequest, Workspace } from "./workspace.ts";
export type { ArgumentShape, FileScan, Instance, PatternSpec, ScanProblem, ScanRequest, ScanRules } from "./workspace.ts";
export type { ByteEdit, EditOutcome, FileEdit } from "./workspace.ts";
export type { TopicFile, TopicFiles, TopicLayer, TopicListing, TopicReading } from "./topics.ts";
