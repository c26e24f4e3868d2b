import type { JsonObject } from "../../../base/index.ts";
import type { TaskSpec } from "../../../source/index.ts";
import type { answerers, approachIds, entryTypes, entryWorkers, fileKinds, phaseModes, phaseRoles, toolFormats } from "./vocabulary.ts";

export type PhaseMode = (typeof phaseModes)[number];
export type PhaseRole = (typeof phaseRoles)[number];
export type EntryType = (typeof entryTypes)[number];
export type FileKind = (typeof fileKinds)[number];
export type ApproachId = (typeof approachIds)[number];

/**
 * A checklist workflow with every default filled in: what `check` accepts and `lower` turns into a program. It is kept in the
 * configuration of the program's part, so that effects and views read it from the pinned program.
 */
export interface ChecklistDefinition {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly specialist?: string;
  readonly filePatterns: readonly string[];
  readonly fileExclusions: readonly string[];
  readonly gitignore: boolean;
  readonly maxFileBytes: number;
  readonly phases: readonly PhaseDefinition[];
  readonly checklist: readonly EntryDefinition[];
  readonly topics: TopicDiscovery;
  readonly patterns: PatternDiscovery;
  /** Tools whose findings become instances; absent without any. */
  readonly tools?: readonly ToolDefinition[];
  /** The user says which of the tools that are there are used. */
  readonly chooseTools?: true;
  readonly versionUpgrade?: VersionUpgrade;
  readonly rules: CompletionRules;
  /** The first decision; absent when the workflow has no batch phase. */
  readonly approach?: ApproachDefinition;
  /** Commands of the verification phase, in order; they run only when a person has allowed the workflow. */
  readonly verify: readonly { readonly name: string; readonly command: string }[];
  /** Workflows that are called on the same files before the summary. */
  readonly subWorkflows: readonly string[];
  /** Keys that Waymark does not act on but shows to the agent, as written. */
  readonly guidance: JsonObject;
}

export interface PhaseDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly mode: PhaseMode;
  readonly role: PhaseRole;
  /** Phases that must be completed before, from `entry_conditions`. */
  readonly after: readonly string[];
  /** Entry conditions that are not about phases: shown to the agent when the phase begins. */
  readonly notes: readonly string[];
  readonly availableActions: readonly string[];
  /** A person must let the run into this phase. */
  readonly hardStop: boolean;
  readonly specialist?: string;
  /** Plain lines for the agent, for phases that carry their own list. */
  readonly checklist: readonly string[];
  /** The phase is this task. */
  readonly task?: TaskSpec;
  /** How often the task is tried again. */
  readonly retries?: number;
}

export interface EntryDefinition {
  readonly id: string;
  readonly type: EntryType;
  readonly description: string;
  readonly required: boolean;
  /** Who does it; the engine does scans, and validations it can prove. */
  readonly by: (typeof entryWorkers)[number];
  /** Phase it belongs to. */
  readonly phase: string;
  readonly filePattern?: string;
  readonly contentPattern?: string;
  readonly topic?: string;
  /** Seconds that the agent has for it. */
  readonly timeout?: number;
}

export interface TopicDiscovery {
  readonly enabled: boolean;
  readonly tool: string;
  readonly autoExpand: boolean;
  readonly minRelevance: number;
}

export interface PatternDiscovery {
  readonly enabled: boolean;
  /** Patterns as `PatternSpec`s (ports), in JSON. */
  readonly patterns: readonly JsonObject[];
  readonly createItems: boolean;
  /** Instances are judged, not converted: each becomes a finding or is dismissed with a reason. */
  readonly judged?: true;
  /** Kinds of files in which patterns find nothing. */
  readonly leaveOut?: readonly FileKind[];
  readonly groupIdentical: boolean;
  readonly groupByGuide: boolean;
  readonly specialist?: string;
  /** Patterns come from conversion guides as well. */
  readonly fromGuides: boolean;
  readonly topicPattern?: string;
  readonly searchMarkers: readonly string[];
  readonly transformationMarkers: readonly string[];
}

/** A linter or compiler of the team: what it reports becomes instances, and its next look settles them. */
export interface ToolDefinition {
  readonly id: string;
  /** One line for the shell, run in the workspace. */
  readonly command: string;
  readonly format: (typeof toolFormats)[number];
  /** Of `lines`: what each line is tried with. */
  readonly pattern?: string;
  /** Globs of the files whose findings count; absent: all of the checklist. */
  readonly files?: readonly string[];
  /** A line that looks at one file, in two parts: before and after its name. */
  readonly perFile?: { readonly before: string; readonly after: string };
  /** What it reports are secrets: they are masked. */
  readonly secrets?: true;
  /** It is used only where all of these are there, of `{a,b}` one; absent: always. */
  readonly ifPresent?: readonly string[];
}

export interface VersionUpgrade {
  readonly source?: string;
  readonly target?: string;
  readonly guidePattern: string;
  readonly guideTags: readonly string[];
  readonly inSequence: boolean;
  readonly extractPatterns: boolean;
}

export interface CompletionRules {
  readonly requireAllFiles: boolean;
  readonly requireAllItems: boolean;
  readonly allowSkip: boolean;
}

export interface ApproachDefinition {
  /** Said before the options: what the change is worth. */
  readonly advice?: string;
  readonly options: readonly { readonly id: ApproachId; readonly label: string; readonly description: string }[];
  readonly recommended: ApproachId;
  /** A gate that no agent may answer. */
  readonly answerBy: (typeof answerers)[number];
}
