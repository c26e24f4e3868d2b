import type { Json } from "../base/index.ts";
import type { ItemQuery } from "./worklist.ts";

/**
 * Text as an author wrote it, and how its outcome is used. The kernel never looks inside; the `state` room evaluates it.
 *
 * - `value`: a JSON tree whose string leaves may hold `{{ }}`; a leaf that is one hole alone keeps its type
 * - `text`: always text; an unknown plain name stays as written and is warned about
 * - `command`: text for a shell; every hole is quoted as shell words
 * - `path`: a state path; every hole is one key, unless the whole path is one hole
 * - `condition`: `{{ js }}` or bare JavaScript, judged by JavaScript truthiness
 * - `js`: JavaScript, an expression or a body with `return`
 * - `filled`: text with `$NAME` placeholders, filled in one pass from `with`: whole names only, each value as it is. `{{ }}` in it is plain
 *   text, `\$` a dollar; a name that `with` does not have, or whose value is null, stays as written. Names of `with` may have dots and
 *   dashes (`$a-b.output`). A name in `needs` must have a value, else the expression fails with the message; with `quote` each value is
 *   one word of a shell, and `\$` stays as written
 */
export type Expr = PlainExpr | FilledExpr;

export interface FilledExpr {
  readonly as: "filled";
  readonly of: string;
  readonly with: Readonly<Record<string, Expr>>;
  readonly needs?: Readonly<Record<string, string>>;
  readonly quote?: "shell";
}

/** An expression that is its own text alone. */
export type PlainExpr =
  | { readonly as: "value"; readonly of: Json }
  | { readonly as: "text" | "command" | "path" | "condition" | "js"; readonly of: string };

export type WriteOperation = "set" | "append" | "increment" | "decrement" | "multiply" | "merge";

/** A write to state after a leaf is done. Without `value` the whole result is written; `transform` maps `result` first. */
export interface Write {
  readonly path: Expr;
  readonly op: WriteOperation;
  readonly value?: Expr;
  readonly transform?: Expr;
}

export type BlockId = string;

/** A number, or an expression that gives one. It is evaluated once, when the block is entered; the value is kept with the run. */
export type Limit = number | Expr;

/** What views show for a block: a phase, state, behaviour or plain title. */
export interface Label {
  readonly kind: string;
  readonly text: string;
}

/**
 * What happens when a block fails. `retry` comes first; when it is spent (or absent) `then` decides:
 * `fail` goes to the enclosing block, `continue` leaves this block as if done (after `writes`, with `error` in scope),
 * `value` makes `value` the block's result, `body` runs another block (with `error` in scope) and then does `after`,
 * `block` parks the strand until a person retries.
 */
export interface Rescue {
  readonly retry?: { readonly times: Limit; readonly delayMs: number; readonly factor: number; readonly capMs: number };
  readonly then: "fail" | "continue" | "value" | "body" | "block";
  readonly writes?: readonly Write[];
  readonly value?: Json;
  readonly body?: BlockId;
  readonly after?: "fail" | "continue";
}

interface Common {
  readonly id: BlockId;
  readonly label?: Label;
  readonly rescue?: Rescue;
  /** Milliseconds after which the block fails with code `TIMEOUT`. */
  readonly timeoutMs?: Limit;
}

/**
 * How an interrupted leaf is taken up again after a crash or a lost holder. `fail` means that neither the leaf nor anything around it
 * is tried again before a person asks for a `retry`.
 */
export type LostPolicy = "retry" | "continue" | "ask" | "fail";

/** A question to a person. `relay` lets an agent carry the answer; `person` never does. */
export interface Ask {
  readonly answerBy: "relay" | "person";
  /** Well-known id of the decision; without one it is minted. */
  readonly decision?: string;
  readonly options?: readonly { readonly value: string; readonly label?: string }[];
  readonly pattern?: string;
  readonly patternMessage?: string;
  /** A reason may come with the answer; the result is `{ answer, reason }`. */
  readonly reasons?: true;
  /** The answers whose reason is read; without it that of each. */
  readonly reasonsFor?: readonly string[];
  /** Wrong answers allowed before the block fails, where an agent may relay the answer: no number of them closes a question for a person. */
  readonly attempts?: number;
  /** `attempts` where the author does not choose them: no part of what a permission is given for. */
  readonly tries?: number;
}

/**
 * One leaf. `what` names the effect (`engine`), the kind of action (`agent`) or the question (`person`);
 * `args` are evaluated together when the leaf is entered, `writes` when its result is known.
 */
export interface DoBlock extends Common {
  readonly kind: "do";
  readonly who: "engine" | "agent" | "person";
  readonly what: string;
  readonly args: Readonly<Record<string, Expr>>;
  readonly writes: readonly Write[];
  /** The id shown to agents when it holds templates; otherwise the block id is shown. */
  readonly name?: Expr;
  readonly whenLost?: LostPolicy;
  /** An agent does it in the conversation of the first of these leaves that has one, the nearest first. */
  readonly continues?: readonly BlockId[];
  /** An engine leaf that goes to the agent when the engine cannot do it here. */
  readonly orAgent?: boolean;
  readonly ask?: Ask;
  /** Name under which the following blocks of the enclosing one read its result. */
  readonly as?: string;
}

/**
 * What the kernel does with an engine leaf itself, without an effect: `write` evaluates its writes and applies them, `wait` lets a time
 * pass. Every other leaf is done outside the kernel. Read off `what`, which is the stored word.
 */
export function opOf({ who, what }: Pick<DoBlock, "who" | "what">): "write" | "wait" | undefined {
  if (who !== "engine") return undefined;
  return what === "set" ? "write" : what === "wait" ? "wait" : undefined;
}

export interface SeqBlock extends Common {
  readonly kind: "seq";
  readonly blocks: readonly BlockId[];
}

export interface ChooseBlock extends Common {
  readonly kind: "choose";
  readonly branches: readonly { readonly when: Expr; readonly then: BlockId }[];
  readonly otherwise?: BlockId;
}

/** `while` is judged before each round, `until` after it. `onLimit` says what happens when `max` rounds are done and it still holds. */
export interface RepeatBlock extends Common {
  readonly kind: "repeat";
  readonly while?: Expr;
  readonly until?: Expr;
  readonly max: number;
  readonly onLimit: "warn" | "fail";
  /** What the rounds were to bring, for the message at the limit. */
  readonly lacks?: string;
  readonly body: BlockId;
}

/**
 * Runs `body` for items. With `fill` the list is made on entry from a list value (and is private to this entry);
 * with `list` it runs over a declared worklist by `query`.
 */
export interface WorkBlock extends Common {
  readonly kind: "work";
  readonly fill?: Expr;
  readonly list?: string;
  readonly query?: ItemQuery;
  /** Parts of the query that are evaluated on entry: the item above, and values of facets. */
  readonly where?: { readonly parent?: Expr; readonly facets?: Readonly<Record<string, Expr>> };
  readonly body: BlockId;
  /** Bodies of single items, by their ids. */
  readonly bodies?: Readonly<Record<string, BlockId>>;
  /** Name of the current item in expressions; default `item`. */
  readonly itemName?: string;
  /** `each`: one item at a time in this strand. `strands`: a strand per item, at most `parallel` at once. */
  readonly mode: "each" | "strands";
  readonly parallel?: Limit;
  /** Strands are opened for agents that ask for work, one to begin with, instead of all at once. */
  readonly pull?: true;
  /** `all`: continue when every item is settled. `later`: continue at once; the run joins before it completes. */
  readonly join: "all" | "later";
  readonly onItemFailure?: ItemFailure;
  /**
   * Of `fill`: the field of each value that lists the ids of items that must settle first. The body sees their statuses as `above`, by id.
   * An item that is reopened reopens what depends on it.
   */
  readonly dependsOn?: string;
  /** Items that a person's retry does again though they are done, each by itself: what depends on them stays as it is. */
  readonly again?: readonly string[];
  /** What an item is called in messages; default a task. */
  readonly unit?: string;
  /** Hand the strands to the parent's agent as one `parallel_tasks` action. */
  readonly task?: TaskHandout;
}

export interface ItemFailure {
  readonly retries: number;
  /**
   * After the retries: `continue` leaves the item failed and continues; `fail_at_end` continues too, but the block fails when all
   * items are settled; `fail` stops the rest where they are and fails at once: a retry lets them continue from there.
   */
  readonly then: "continue" | "fail_at_end" | "fail";
  /** Append `{ task_id, message, code, attempts }` here for each item that failed for good. */
  readonly collect?: string;
}

export interface TaskHandout {
  readonly name: string;
  readonly prompt: string;
  /** Inputs of the task, evaluated per item, readable as `context`. */
  readonly inputs?: Readonly<Record<string, Expr>>;
}

export interface MachineBlock extends Common {
  readonly kind: "machine";
  readonly initial: string;
  readonly states: Readonly<Record<string, MachineState>>;
}

/** After `body` the first outcome whose `when` holds decides; `to: null` ends the machine. */
export interface MachineState {
  readonly body: BlockId;
  readonly outcomes: readonly { readonly when?: Expr; readonly to: string | null }[];
}

/** Another part of the program, in a scope of its own; its final flat state is readable under the block's id afterwards. */
export interface CallBlock extends Common {
  readonly kind: "call";
  readonly part: string;
  readonly inputs: Readonly<Record<string, Expr>>;
  /** Runs after the callee with its names in front. */
  readonly onComplete?: BlockId;
  /** Key under which the callee's state is kept; default the block id. */
  readonly as: string;
}

export interface LeaveBlock extends Common {
  readonly kind: "leave";
  /**
   * `skip` settles the current item as skipped, with the message as its reason, and continues with the next one. `cancel` begins nothing
   * new, lets what is under way end, and ends the run as cancelled; in a called part it fails the call. `reopen` gives the current item
   * back and opens `items` of its work again, with everything that depends on them.
   */
  readonly how: "break" | "continue" | "finish" | "fail" | "skip" | "to" | "cancel" | "reopen";
  readonly state?: string;
  readonly items?: readonly string[];
  readonly message?: Expr;
}

export type Block = DoBlock | SeqBlock | ChooseBlock | RepeatBlock | WorkBlock | MachineBlock | CallBlock | LeaveBlock;
