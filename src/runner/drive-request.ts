import type { Decided } from "./choose-agent.ts";
import type { Caller, CutOff, EngineContext, Position } from "../engine/index.ts";
import type { AgentPermission, Agents, RoleBinding, TranscriptEntry } from "../ports/index.ts";

/** The one step that a door leads to. */
export interface StepScope {
  readonly run: string;
  readonly task?: string;
  readonly strand: string;
  readonly action: string;
  readonly asked?: string;
  readonly writes?: readonly string[];
}

/** Where a driven agent reports: good for one step, until it is closed. */
export interface AgentDoor {
  readonly url: string;
  readonly token: string;
  /** The step in the words of the tool that shows it. */
  brief(): Promise<string>;
  /** `session`: the conversation that was given the token. */
  close(session?: string): Promise<void>;
}

/** What driving a run needs beside the engine. */
export interface RunnerParts {
  readonly context: EngineContext;
  readonly agents: Agents;
  readonly doors: Doors;
  /** What each of several workers has for itself; without it they share the above. */
  readonly forWorker?: (number: number) => { readonly agents: Agents; readonly doors: Doors };
}

interface Doors {
  /** `continues`: the conversation that the step is done in, which keeps its token. */
  open(caller: Caller, scope: StepScope, continues: string | undefined): AgentDoor;
}

type Question = Extract<Position["standing"], { readonly kind: "question" }>["decision"];

/** How a run is driven, as who started the driver says. */
export interface DriveRequest {
  readonly run: string;
  /** Stronger than the workflow's own, weaker than the step's. */
  readonly agent?: string;
  readonly model?: string;
  readonly permission?: AgentPermission;
  /** Who plays roles, by role; stronger than what the configuration and the workflow say. */
  readonly roles?: Readonly<Record<string, RoleBinding>>;
  /** The weakest choice: what the configuration says. */
  readonly usual?: { readonly agent?: string; readonly idleMs?: number };
  /** What of this was said on a command line, as it is typed there; kept with who drives. */
  readonly flags?: readonly string[];
  /** How many parts of the run are worked on at the same time; 1 without it. */
  readonly workers?: number;
  /** Steps of one strand share a conversation where they do not say otherwise. */
  readonly shared?: boolean;
  /** In the place of a failure where the conversation that a step continues is gone. */
  readonly onLost?: "fresh" | "replay";
  /** False: driving ends where only time helps. Otherwise that time is waited for. */
  readonly waits?: boolean;
  /** Driving ends where nothing is left for it, also while others have parts that may bring more. */
  readonly leaves?: boolean;
  /** How long driving may take; it changes nothing in the run. */
  readonly minutes?: number;
  /** No further turn or command of the engine begins; what is open comes to its end. */
  readonly finish: AbortSignal;
  /** What is open is cancelled too. Driving ends then at once; closing the engine ends its commands. */
  readonly cancel: AbortSignal;
  /** Asks the person in front, until driving is to end; false when there was no answer. Absent where nobody is. */
  readonly ask?: (run: string, question: Question, finish: AbortSignal) => Promise<boolean>;
  readonly watch?: (event: DriveEvent) => void;
}

/** What a driver does, for who watches. */
export type DriveEvent =
  | {
      readonly type: "step";
      readonly position: Position;
      readonly step: string;
      readonly agent: string;
      readonly resumed: boolean;
      readonly decided: Decided;
    }
  | { readonly type: "agent"; readonly entry: TranscriptEntry }
  | { readonly type: "reported"; readonly step: string; readonly how: "done" | "failed" | "parked" | "lost"; readonly why?: string }
  | { readonly type: "told"; readonly text: string }
  | { readonly type: "notice"; readonly text: string };

type Allowable = { readonly workflow: string } | { readonly agent: string };

/** How driving ended. The run stays as it is, and can be driven again, unless it is over. `cut`: commands of the engine that did not end before. */
export type DriveEnd = { readonly run: string; readonly cut?: readonly CutOff[] } & (
  | { readonly kind: "completed" }
  | { readonly kind: "failed" | "cancelled"; readonly why: string }
  | { readonly kind: "waits"; readonly questions: readonly Question[] }
  /** Driving it again does not help before a retry (`stuck`), before a person has allowed this workflow or agent, is logged in to this one, or has changed how it is set up. */
  | {
      readonly kind: "parked";
      readonly why: string;
      readonly until?: number;
      readonly stuck?: true;
      readonly allow?: Allowable;
      readonly login?: string;
      readonly setup?: string;
      /** The role whose agent is at its limit, or a step that names that agent itself: `--agent` changes neither. */
      readonly role?: string;
      readonly fixed?: true;
    }
);
