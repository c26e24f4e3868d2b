import type { JsonObject } from "../../../base/index.ts";
import type { Item, ItemStatus } from "../../../program/index.ts";
import type { ChecklistDefinition, PhaseDefinition } from "./checklist-definition.ts";
import type { severities } from "./vocabulary.ts";

/** Everything views of a checklist run are made from; gathered by the engine, plain data. */
export interface ChecklistFacts extends Workload {
  readonly run: string;
  readonly workflow: Pick<ChecklistDefinition, "type" | "name" | "description" | "specialist">;
  /** `running` runs are `initializing` until the first decision or action, `blocked` while nothing can continue. */
  readonly status: "initializing" | "in_progress" | "blocked" | "completed" | "failed" | "cancelled";
  /** It waits for an answer that only a person can give, and nothing else is being done. */
  readonly paused: boolean;
  /** What replies call it while it runs: `analysis_complete`, `ready_for_completion` ... */
  readonly stage?: "analysis_complete" | "scan_complete" | "ready_for_completion";
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt?: number;
  readonly now: number;
  readonly phases: readonly PhaseFacts[];
  /** Id of the phase with the first open work. */
  readonly phase: string;
  readonly glob: readonly string[];
  /** Workflows that this one calls on its files; their files and instances are counted beside its own. Absent without any. */
  readonly called?: readonly CalledFacts[];
  /** Of all workflows of the run, as findings, changes and behaviour are. */
  readonly topics: Counts<"applied" | "pending" | "skipped" | "failed" | "suggested" | "byAgent">;
  readonly findings: { readonly total: number; readonly bySeverity: Counts<Severity> };
  readonly changes: Counts<"total" | "applied" | "failed" | "pending" | "autoApplicable">;
  readonly batches: readonly BatchFacts[];
  readonly upgrade?: UpgradeFacts;
  readonly behaviour: BehaviourFacts;
  /** File that an agent works on, newest first. */
  readonly inHand: readonly { readonly file: string; readonly strand?: string; readonly holder?: string; readonly item?: string }[];
  readonly specialist?: string;
  readonly nextSpecialist?: string;
  readonly blocked?: {
    readonly until?: number;
    readonly reason: string;
    readonly files: readonly string[];
    readonly ways: readonly string[];
  };
  readonly verification?: VerificationFacts;
  /** What each tool reported when it looked last; absent without tools. */
  readonly tools?: readonly ToolFacts[];
  /** What became of phases that are tasks; absent while none has ended. */
  readonly tasks?: readonly TaskFacts[];
  /** What was wrong with the folder, the guides or single files; absent when nothing was. */
  readonly problems?: readonly string[];
  /** What its files were changed since, where it is about changed files; `lines`: about changed lines alone. */
  readonly changedSince?: ChangedSince;
  /** Inputs and options it was started with. */
  readonly options: JsonObject;
}

export interface ChangedSince extends JsonObject {
  readonly ref: string;
  /** The commit that is compared with. */
  readonly base: string;
  readonly changed_lines: boolean;
}

type Counts<Names extends string> = Readonly<Record<Names, number>>;

export type Severity = (typeof severities)[number];

export interface PhaseFacts extends Pick<PhaseDefinition, "id" | "name" | "mode" | "required"> {
  readonly status: "pending" | "in_progress" | "completed" | "skipped";
}

/** What a workflow has to do, and how far it is. */
export interface Workload {
  readonly files: FileCounts;
  /** Absent for workflows without patterns. */
  readonly instances?: InstanceCounts;
  readonly entries: { readonly total: number; readonly by: Counts<ItemStatus>; readonly given?: number };
}

export interface CalledFacts extends Workload {
  readonly type: string;
  readonly name: string;
  /** `skipped`: the run ended before it was called. */
  readonly status: PhaseFacts["status"];
}

/**
 * pending + inProgress + completed + skipped + blocked = total; out of scope are counted beside it. `scanned`: those that were looked for
 * patterns; `notAsked`: those of the skipped that were open when the run was completed early.
 */
export interface FileCounts extends Counts<
  "total" | "pending" | "inProgress" | "completed" | "skipped" | "blocked" | "outOfScope" | "withMatches" | "scanned" | "notAsked"
> {
  readonly byType: Readonly<Record<string, number>>;
  /** Of those that are done or skipped: nothing was to be done in them from the beginning. */
  readonly given?: number;
  /** Their content is not that of the start, whatever changed it. */
  readonly changed: number;
}

/** pending + inProgress + completed + toVerify + skipped + failed = total. */
export interface InstanceCounts extends Counts<
  "total" | "pending" | "inProgress" | "completed" | "toVerify" | "skipped" | "failed" | "autoFixed" | "byHand" | "flagged" | "notAsked"
> {
  /** Of the skipped ones: the engine settled them from the beginning. */
  readonly given?: number;
  /** Found and left, because the team settled them; not among the others. */
  readonly suppressed?: number;
  /** Certainly nothing to do: skipped by the engine, each with its reason. */
  readonly settled: number;
  /** Where instances are judged: found right, and left with a reason. Absent where they are converted. */
  readonly judged?: Counts<"confirmed" | "dismissed">;
  /** Not done yet, by what they need. */
  readonly open: Counts<"auto" | "review" | "manual">;
  /** By the name that older clients know; `types` has the precise names inside. */
  readonly byType: Readonly<Record<string, TypeCounts>>;
}

export interface TypeCounts extends Counts<"count" | "auto" | "review" | "manual"> {
  readonly types: Readonly<Record<string, number>>;
}

export interface BatchFacts extends Counts<"at" | "previewed" | "modified" | "failed" | "leftOut" | "files"> {
  readonly id: string;
  readonly operation: string;
  readonly undone: boolean;
  /** Instances of the batch's kinds that a second scan of its files still found. */
  readonly remaining?: number;
  /** What is known while it is not done: the counts are those of chunks that are. */
  readonly underWay?: string;
}

export interface UpgradeFacts {
  readonly source: string;
  readonly target: string;
  readonly currentStep?: string;
  readonly steps: readonly StepFacts[];
  readonly guidesTotal: number;
  readonly guidesCompleted: number;
  /** Steps for which no guide was found. */
  readonly withoutGuide: readonly string[];
}

interface StepFacts extends Counts<"instances" | "files" | "auto" | "byHand" | "skipped" | "open"> {
  readonly step: string;
  /** `patterns`: how many it brought. */
  readonly guides: readonly (Counts<"patterns" | "instances" | "done"> & { readonly id: string; readonly title: string })[];
}

/** How the driving agents behaved; the seven measures are computed from these. */
export interface BehaviourFacts extends Counts<"handedOut" | "reported" | "refused" | "analyses" | "analysesWithTopics"> {
  readonly refusals: Readonly<Record<string, number>>;
  /** Findings per tenth of the files in order of their completion. */
  readonly findingsByTenth: readonly number[];
}

/** Everything that a tool reported: found and suppressed in files of the run, in other files, and without a place. */
export interface ToolFacts extends Counts<"found" | "suppressed" | "outside" | "withoutPlace"> {
  readonly tool: string;
}

export interface TaskFacts {
  readonly phase: string;
  readonly name: string;
  readonly status: "completed" | "failed";
  /** What it brought, or why it failed, as text. */
  readonly result: string;
}

export interface VerificationFacts {
  readonly compiled: boolean;
  readonly commands: readonly { readonly name: string; readonly ok: boolean; readonly errors: number }[];
  readonly errorsByFile: Readonly<Record<string, readonly string[]>>;
  /** Files that changed: each was lexed and scanned again. */
  readonly rescanned: number;
  readonly remaining: number;
  /** Commands of the project that are not allowed. */
  readonly notAllowed?: readonly string[];
}

/** Rows that reports and exports page through. */
export interface ChecklistRows {
  /** File rows in order. */
  files(): AsyncIterable<Item>;
  /** Checklist entries and instances of one file, in order. */
  rowsUnder(file: string): AsyncIterable<Item>;
  /** The same of the workflows that were called. */
  called(): readonly (Pick<ChecklistRows, "files" | "rowsUnder"> & { readonly workflow: string })[];
  findings(): AsyncIterable<Item>;
  changes(): AsyncIterable<Item>;
}

/** Everything an agent needs for its entry, gathered when it is shown. */
export interface CheckDescription {
  readonly action: string;
  readonly item: JsonObject;
  /** Lines around an instance, as they are now. */
  readonly context?: string;
  /** Line of the file that the context begins with. */
  readonly contextLine?: number;
  /** Of an instance: what matters for its kind, the first time it is handed out. */
  readonly guidance?: string;
  readonly section?: { readonly heading: string; readonly text: string };
  /** The pattern that found it, by name and description. */
  readonly pattern?: {
    readonly name: string;
    readonly description: string;
    readonly topic?: string;
    readonly specialist?: string;
    readonly severity?: string;
  };
  /** Of an entry: seconds after which it fails. */
  readonly timeout?: number;
  /** Of an entry: what its phase lets an agent do, in the author's words. */
  readonly actions?: readonly string[];
  /** Of an entry: whose field its phase is handed to. */
  readonly specialist?: string;
  readonly tool?: { readonly name: string; readonly arguments: JsonObject };
  /** Of a topic: where it is written down, for who has no tool that reads it. */
  readonly topicFile?: string;
  /** How often it was reported as done and found again. */
  readonly again: number;
  readonly checklist: readonly Item[];
  /** Of the phase it belongs to: conditions that are not phases, and lines of its own list. */
  readonly phase: readonly string[];
  /** Of the definition: keys that are only for the agent, as written; given with the first entry of a run. */
  readonly guidanceKeys?: JsonObject;
  /** Open instances elsewhere with the same text; a skip may cover them all. */
  readonly identical: number;
  readonly notes: readonly string[];
}
