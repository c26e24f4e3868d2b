import type { JsonObject } from "../../../base/index.ts";
import type { InputSpec } from "../../../program/index.ts";
import type { TaskSpec } from "../../../source/index.ts";

/** A machine as it is understood, however it was written. Plain JSON: it is pinned with the run. `shape/` says what its keys mean. */
export interface MachineDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  /** Folder of all sessions, relative to the workspace; each run has one of its own below it. */
  readonly folder: string;
  readonly modes: Readonly<Record<string, ModeDefinition>>;
  readonly defaultMode: string;
  readonly artifacts: Readonly<Record<string, ArtifactDefinition>>;
  readonly roles: Readonly<Record<string, RoleDefinition>>;
  readonly states: Readonly<Record<string, StateDefinition>>;
  readonly done: DoneDefinition;
  readonly precedence: readonly string[];
  readonly projectInstructions: readonly string[];
}

export interface ModeDefinition {
  readonly start: string;
  readonly roles: readonly string[];
  readonly onlyIf: Readonly<Record<string, string>>;
  readonly mostFiles?: number;
  /** Where the run continues when the mode turns out not to fit; it continues in the default mode. */
  readonly otherwise?: string;
}

/** `form` names a content check that is built in; `sections` are headings of a document that must be there and say something. */
export interface ArtifactDefinition {
  readonly path: string;
  readonly form?: ArtifactForm;
  readonly sections: readonly string[];
  readonly notIn: readonly string[];
}
export const artifactForms = ["spec", "acceptance", "architecture", "tasks", "report"] as const;
export type ArtifactForm = (typeof artifactForms)[number];

export interface RoleDefinition {
  readonly title: string;
  /** File with its instructions, as it is named to the agent in the role, relative to the workspace or absolute. */
  readonly instructions: string;
  readonly text: string;
  /** Artifacts it reads; a `?` in the definition makes one optional. */
  readonly reads: readonly { readonly artifact: string; readonly optional: boolean }[];
  readonly artifacts: readonly string[];
  readonly files: readonly string[];
  readonly answers: readonly string[];
  /** Whose output is checked like one of these roles (`Coder`, `Reviewer`, `QA`, `Security` ...); `plain` asks for the common part alone. */
  readonly output: string;
  readonly seesChanges: boolean;
  /** Who plays it, where neither who drives nor a configuration says otherwise. */
  readonly agent?: string;
  readonly model?: string;
  readonly permission?: JsonObject;
}

export interface StateDefinition {
  readonly shownAs?: string;
  readonly title: string;
  readonly steps: readonly StepDefinition[];
  /** A machine inside this state: once, or for every item of the worklist. */
  readonly inner?: InnerDefinition;
  /** A repair loop: what it repairs is found again afterwards, or its budget is spent. */
  readonly repair?: RepairDefinition;
  readonly outcomes: readonly OutcomeDefinition[];
}

/** States with those of the machines inside them, each after the one around it. */
export function everyState(states: Readonly<Record<string, StateDefinition>>): StateDefinition[] {
  return Object.values(states).flatMap((state) => [state, ...Object.values(state.inner?.states ?? {})]);
}

/** Where a state by itself may lead; null is the end. */
export function targetsOf({ outcomes, repair }: StateDefinition): (string | null)[] {
  return [...outcomes.map(({ to }) => to), ...(repair?.cutScope === undefined ? [] : [repair.cutScope])];
}

export interface InnerDefinition {
  readonly each?: "tasks";
  /** Ready tasks whose files do not meet are given to this role at the same time, before each of them goes through the states. */
  readonly ahead?: { readonly role: string; readonly most: string };
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
      readonly leaves: readonly string[];
      readonly goal?: string;
      /** The dispatch is about the session as a whole, not about the current task. */
      readonly meta: boolean;
    }
  | { readonly step: "task"; readonly task: TaskDefinition }
  | { readonly step: "gate"; readonly gate: GateDefinition }
  | { readonly step: "ask"; readonly ask: AskDefinition }
  | { readonly step: "checks"; readonly of: "task" | "all" }
  | { readonly step: "take_tasks"; readonly from: string }
  | { readonly step: "promote"; readonly of: "task" | "all"; readonly to: "implemented" | "completed" }
  | { readonly step: "workflow"; readonly workflow: string; readonly inputs: JsonObject }
  | { readonly step: "report" }
  | { readonly step: "finish" }
);

/** A prompt for an agent. The result is readable as `into`. */
export interface TaskDefinition {
  readonly name: string;
  readonly spec: TaskSpec;
  readonly retries: number;
  readonly into?: string;
}

/** A question that must be answered by a person before the state can be left. */
export interface GateDefinition {
  readonly id: string;
  readonly question: string;
  readonly shows: readonly string[];
  readonly binds: readonly string[];
  /** The word that passes. Absent when `choices` pass. */
  readonly passes?: string;
  /** Answers that pass, each with what it means. The one chosen is readable as `into`. */
  readonly choices: Readonly<Record<string, string>>;
  readonly also?: Readonly<Record<string, readonly string[]>>;
  readonly into?: string;
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
  readonly allowsCommands: boolean;
  /** Has no effect. It is in the programs that were allowed, and what was allowed stays allowed. */
  readonly reasks: number;
}

/** An ad-hoc question. The answer is readable as `answer` and under `into`. */
export interface AskDefinition {
  readonly kind: string;
  readonly question: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly into?: string;
  readonly insists: boolean;
}

export interface RepairDefinition {
  readonly role: string;
  readonly tries: number;
  readonly goal: string;
  readonly back: string;
  readonly accepted: string;
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
