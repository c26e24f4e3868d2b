/** What the engine needs from outside, as types only. Adapters implement these; the engine never sees an adapter. */
export type { AgentEvent, AgentInfo, AgentPermission, AgentProvider, AgentUsage, Agents, McpHttp, Turn } from "./agent.ts";
export type { FoundWorkflow, SourceFile, TextFolders, WholeFolder, WorkflowPlace } from "../source/index.ts";
export type {
  Alarms,
  CapturedOutput,
  CommandClaim,
  CommandKey,
  CommandOutcome,
  CommandRequest,
  Commands,
  Definitions,
  Host,
  Permission,
  Permissions,
  Run,
  StoreMarks,
  ToolOutcome,
  Tools,
  ViewFiles,
} from "./host.ts";
export type { Sandbox, SandboxLimits, SandboxRequest, SandboxResult } from "./sandbox.ts";
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
  Store,
  StoreIdentity,
} from "./store.ts";
export type { TopicFile, TopicFiles, TopicLayer, TopicListing, TopicReading } from "./topics.ts";
export type { TranscriptEntry, Transcripts } from "./transcripts.ts";
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
