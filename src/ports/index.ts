/** What the engine needs from outside, as types only. Adapters implement these; the engine never sees an adapter. */
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
