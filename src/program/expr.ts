import type { Json } from "../base/index.ts";

/**
 * Text as an author wrote it, and how its outcome is used. The kernel never looks inside; the `state` room evaluates it.
 *
 * - `value`: a JSON tree whose string leaves may hold `{{ }}`; a leaf that is one hole alone keeps its type
 * - `text`: always text; an unknown plain name stays as written and is warned about
 * - `command`: text for a shell; every hole is quoted as shell words
 * - `path`: a state path; every hole is one key, unless the whole path is one hole
 * - `condition`: `{{ js }}` or bare JavaScript, judged by JavaScript truthiness
 * - `js`: JavaScript, an expression or a body with `return`
 */
export type Expr =
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
