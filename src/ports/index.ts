/** What the engine needs from outside, as types only. Adapters implement these; the engine never sees an adapter. */
export type { Alarms } from "./alarms.ts";
export type {
  BlobFacts,
  Commit,
  ItemChange,
  ItemCounts,
  ItemSelection,
  JournalRecord,
  Lease,
  NewRecord,
  RunFilter,
  RunRow,
  RunSummary,
  Store,
} from "./store.ts";
export type { Sandbox, SandboxLimits, SandboxRequest, SandboxResult } from "./sandbox.ts";
export type {
  CapturedOutput,
  CommandOutcome,
  CommandRequest,
  Commands,
  Definitions,
  FoundWorkflow,
  Host,
  Permission,
  Permissions,
  SourceFile,
  ToolOutcome,
  Tools,
  ViewFiles,
} from "./host.ts";
export type {
  ArgumentShape,
  ByteEdit,
  EditOutcome,
  Encoding,
  FileEdit,
  FileScan,
  Instance,
  Inventory,
  InventoryFile,
  InventoryRequest,
  PatternSpec,
  ScanProblem,
  ScanRequest,
  ScanRules,
  Workspace,
} from "./workspace.ts";
export type { TopicFile, TopicFiles, TopicLayer, TopicListing, TopicReading } from "./topics.ts";
