import type { Catalogue } from "../base/index.ts";

const codes = {
  EXPRESSION_SYNTAX: {
    what: "An expression is not valid JavaScript.",
    why: "It could not be parsed.",
    fix: "Correct the expression at the place named; `waymark validate` finds it before a run does.",
  },
  EXPRESSION_FAILED: {
    what: "An expression failed.",
    why: "It threw, or read a property of nothing.",
    fix: "Guard against missing values (`a?.b`, `a ?? 0`), or give the field a fallback.",
  },
  EXPRESSION_LIMIT: {
    what: "An expression took too long or too much memory.",
    why: "Expressions have a time and a memory limit.",
    fix: "Make it cheaper, or raise `limits.expression_time_ms` or `limits.expression_memory_mb`.",
  },
  EXPRESSION_SHELL: {
    what: "A value is at a place where it cannot be quoted for the shell.",
    why: "Here-documents, comments, backticks and `${...}` give quotes no meaning.",
    fix: "Pass the value as an argument, or through the step's `env`.",
  },
  EXPRESSION_UNKNOWN_NAME: {
    what: "A template names something that does not exist.",
    why: "The name is mistyped, or not set yet.",
    fix: "Correct the name; the text was left as written.",
  },
  EXPRESSION_NULL_PROPERTY: {
    what: "A condition read a property of nothing.",
    why: "A value it needs is not there.",
    fix: "It counted as false; use `?.` to say that this is meant.",
  },
  EXPRESSION_KEY_FALLBACK: {
    what: "A key was found in its `path_to_key` form only.",
    why: "It was written through that filter.",
    fix: "Read it with the same filter.",
  },
};

/** Codes of failed expressions; the engine reports them as errors of the step that holds the expression. */
export const stateCodes: Catalogue = codes;

/** A code of this catalogue; of a write that does not fit the state, the kernel's. */
export type StateCode = keyof typeof codes | "STATE_WRITE";
