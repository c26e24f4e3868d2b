import type { JsonObject } from "../../../base/index.ts";
import type { InputSpec } from "../../../program/index.ts";

/** A machine as it is understood, whatever way it was written. Plain JSON: it is pinned with the run. */
export interface MachineDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  /** Folder of all sessions, relative to the workspace; each run has one of its own below it. */
  readonly folder: string;
  readonly modes: Readonly<Record<string, ModeDefinition>>;
  /** The mode a run has unless it asks for another one. */
  readonly defaultMode: string;
  readonly artifacts: Readonly<Record<string, ArtifactDefinition>>;
  readonly roles: Readonly<Record<string, RoleDefinition>>;
  readonly states: Readonly<Record<string, StateDefinition>>;
  readonly done: DoneDefinition;
  /** Conflicts between instructions are settled in this order, highest first. */
  readonly precedence: readonly string[];
  /** Files with instructions of the project, in order; every role has to read those that exist. */
  readonly projectInstructions: readonly string[];
}

export interface ModeDefinition {
  readonly start: string;
  /** Roles that must have worked at least once before the end. */
  readonly roles: readonly string[];
  /** What must be confirmed before a run may begin in this mode: key and sentence. */
  readonly onlyIf: Readonly<Record<string, string>>;
  /** More changed files than this, and the mode is left. */
  readonly mostFiles?: number;
  /** Where the run continues when the mode turns out not to fit; it continues in the default mode. */
  readonly otherwise?: string;
}

/** `form` names a content check that is built in; `sections` are headings of a document that must be there and say something. */
export interface ArtifactDefinition {
  /** Below the session's folder; may be a glob such as `design-specs/*.md`. */
  readonly path: string;
  readonly form?: ArtifactForm;
  readonly sections: readonly string[];
  /** Modes in which it is not needed. */
  readonly notIn: readonly string[];
}
export const artifactForms = ["spec", "acceptance", "architecture", "tasks", "report"] as const;
export type ArtifactForm = (typeof artifactForms)[number];

export interface RoleDefinition {
  /** What the role is, in a sentence. */
  readonly title: string;
  /** File with its instructions, as it is named to the agent in the role, relative to the workspace or absolute. */
  readonly instructions: string;
  /** Text of that file. */
  readonly text: string;
  /** Artifacts it reads; a `?` in the definition makes one optional. */
  readonly reads: readonly { readonly artifact: string; readonly optional: boolean }[];
  /** Artifacts it may write, by name. */
  readonly artifacts: readonly string[];
  /** Globs of files outside the session's folder that it may change. */
  readonly files: readonly string[];
  readonly answers: readonly string[];
  /** Whose output is checked like one of these roles (`Coder`, `Reviewer`, `QA`, `Security` ...); `plain` asks for the common part alone. */
  readonly output: string;
  /** It is given every file the session changed. */
  readonly seesChanges: boolean;
}

export interface StateDefinition {
  /** What status files show instead of its own name. */
  readonly shownAs?: string;
  readonly title: string;
  /** Done in order when the state is entered. */
  readonly steps: readonly StepDefinition[];
  /** A machine inside this state: once, or for every item of the worklist. */
  readonly inner?: InnerDefinition;
  /** A repair loop: what it repairs is found again afterwards, or its budget is spent. */
  readonly repair?: RepairDefinition;
  readonly outcomes: readonly OutcomeDefinition[];
}

export interface InnerDefinition {
  readonly each?: "tasks";
  readonly start: string;
  readonly states: Readonly<Record<string, StateDefinition>>;
}

/** The first that holds decides. `to: null` ends the machine; a state of the machine around it leaves the inner one. */
export interface OutcomeDefinition {
  readonly when?: string;
  readonly to: string | null;
}

export type StepDefinition = { readonly when?: string } & (
  | {
      readonly step: "dispatch";
      readonly role: string;
      /** Artifacts that must pass their checks before the report counts. */
      readonly leaves: readonly string[];
      readonly goal?: string;
      /** The dispatch is about the session as a whole, not about the current task. */
      readonly meta: boolean;
    }
  | { readonly step: "gate"; readonly gate: GateDefinition }
  | { readonly step: "ask"; readonly ask: AskDefinition }
  /** Runs the commands of acceptance checks: of the current task, or of all tasks and criteria. */
  | { readonly step: "checks"; readonly of: "task" | "all" }
  /** Takes the tasks of the artifact over as the worklist. */
  | { readonly step: "take_tasks"; readonly from: string }
  | { readonly step: "promote"; readonly of: "task" | "all"; readonly to: "implemented" | "completed" }
  /** Another workflow runs in the same run. */
  | { readonly step: "workflow"; readonly workflow: string; readonly inputs: JsonObject }
  /** Waymark writes the report itself. */
  | { readonly step: "report" }
  /** Nothing passes before the definition of done holds. */
  | { readonly step: "finish" }
);

/** A question that must be answered by a person before the state can be left. */
export interface GateDefinition {
  readonly id: string;
  readonly question: string;
  /** Artifacts that are summed up for the person. */
  readonly shows: readonly string[];
  /** Artifacts whose content the answer is bound to: a later change asks again. */
  readonly binds: readonly string[];
  /** The word that passes. Absent when `choices` pass. */
  readonly passes?: string;
  /** Answers that pass, each with what it means. The one chosen is readable as `into`. */
  readonly choices: Readonly<Record<string, string>>;
  /** Other words for a choice. */
  readonly also?: Readonly<Record<string, readonly string[]>>;
  readonly into?: string;
  /** JavaScript that computes the choice to recommend. */
  readonly recommend?: string;
  /** An answer that sends the work back: its prefix, and the roles that may be asked to correct, with words that point to them. */
  readonly changes?: {
    readonly prefix: string;
    readonly route: readonly { readonly role: string; readonly words: readonly string[] }[];
    /** Where every request for changes is appended. */
    readonly history?: string;
    /** The state to go to when changes are asked for after the gate was passed. */
    readonly state: string;
  };
  /** The commands of all checks are shown, and passing allows exactly these. */
  readonly allowsCommands: boolean;
  /** How often a wrong answer is asked again in one visit. */
  readonly reasks: number;
}

/** An ad-hoc question. The answer is readable as `answer` and under `into`. */
export interface AskDefinition {
  readonly kind: string;
  readonly question: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly into?: string;
  /** Only an explicit choice or an explicit deferral closes it. */
  readonly insists: boolean;
}

export interface RepairDefinition {
  readonly role: string;
  readonly tries: number;
  readonly goal: string;
  /** State that looks again. */
  readonly back: string;
  /** State to continue in when a person accepts things as they are. */
  readonly accepted: string;
  /** State of the machine around it that plans again. */
  readonly cutScope?: string;
}

export interface DoneDefinition {
  readonly tasks: boolean;
  readonly criteria: boolean;
  readonly report: boolean;
  readonly checks: boolean;
  /** JavaScript conditions of the definition's own, with what to say when one does not hold. */
  readonly rules: readonly { readonly when: string; readonly message: string }[];
}

/** What the engine pins of a machine in its part. */
export type MachineConfig = JsonObject & { readonly machine: JsonObject };
