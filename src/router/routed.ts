/** A workflow as the router sees it. */
export interface Routable {
  readonly name: string;
  readonly description: string;
  /** Phrases that ask for it. */
  readonly triggers?: readonly string[];
  /** Whole requests that ask for it. */
  readonly examples?: readonly string[];
  /** What it is not for. */
  readonly notFor?: readonly string[];
}

export interface Candidate {
  readonly workflow: string;
  /** Higher is better. Comparable within one answer only. */
  readonly score: number;
  /** What speaks for it, one phrase each. */
  readonly why: readonly string[];
}

/** Who decided: a command, a name at the start, the conversation's own workflow, a model, words. */
export type RoutedBy = "command" | "name" | "default" | "model" | "words";

interface Decided {
  /** At most three, the best first. */
  readonly candidates: readonly Candidate[];
  readonly by: RoutedBy;
  /** What a log should say about the decision, one sentence each. */
  readonly notes?: readonly string[];
}

/** What becomes of a message: a workflow is started, the person is asked which one, or nothing is started. */
export type Routed =
  | (Decided & { readonly kind: "route"; readonly workflow: string; readonly intent: string })
  | (Decided & { readonly kind: "ask"; readonly intent: string })
  | (Decided & {
      readonly kind: "converse";
      /** The model's own answer, unchanged; absent where no model was asked. */
      readonly answer?: string;
    });
