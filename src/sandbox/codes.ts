import { WaymarkError, type Catalogue } from "../base/index.ts";

export const sandboxCodes: Catalogue = {
  SANDBOX_TIMEOUT: {
    what: "An expression ran longer than it may.",
    why: "It loops without end, its regular expression backtracks without end, or its input is very large.",
    fix: "Make the expression do less work, or split the value it works on.",
  },
  SANDBOX_MEMORY: {
    what: "An expression used more memory than it may.",
    why: "It builds a value that is too large, or works on one.",
    fix: "Build less in one expression, for example by filtering before mapping.",
  },
  SANDBOX_THROWN: {
    what: "An expression threw an error.",
    why: "Its code did, or it read a property of a value that is null.",
    fix: "Read the message; guard values that may be absent with `?.` and `??`.",
  },
  SANDBOX_SYNTAX: {
    what: "An expression is not JavaScript.",
    why: "It has a syntax error.",
    fix: "Correct the expression at the place named in the message.",
  },
  SANDBOX_RESULT: {
    what: "An expression gave a value that JSON cannot carry.",
    why: "The result is a promise, a BigInt or an object that contains itself.",
    fix: "Return text, numbers, booleans, null, lists and plain objects.",
  },
  SANDBOX_BINDING: {
    what: "A value handed to an expression is not JSON, or its name is not an identifier.",
    why: "The caller passed something JSON cannot carry; this is a fault of the engine, not of the workflow.",
    fix: "Report it with the workflow that caused it.",
  },
  SANDBOX_UNAVAILABLE: {
    what: "Expressions cannot be evaluated because the interpreter does not start.",
    why: "The package `quickjs-wasi` is missing or damaged, or the system refuses another thread.",
    fix: "Install the dependencies again, then run the command again.",
  },
  SANDBOX_CLOSED: {
    what: "An expression was handed to a sandbox that is closed.",
    why: "The process is shutting down.",
    fix: "Start the command again; nothing was changed.",
  },
};

export function timeoutMessage(timeMs: number): string {
  return `The code did not finish within ${timeMs} ms and was stopped.`;
}

export function memoryMessage(memoryBytes: number): string {
  return `The code needed more than its ${Math.round(memoryBytes / 1024 / 1024)} MB of memory and was stopped.`;
}

export function badBinding(name: string, cause?: unknown): WaymarkError {
  const message =
    cause === undefined
      ? `\`${name}\` cannot be the name of a value in an expression.`
      : `The value of \`${name}\` cannot be turned into JSON.`;
  return failed("SANDBOX_BINDING", message, cause);
}

export function unavailable(cause: unknown): WaymarkError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return failed("SANDBOX_UNAVAILABLE", `The interpreter for expressions does not start: ${reason}`, cause);
}

export function closed(): WaymarkError {
  return failed("SANDBOX_CLOSED", "The sandbox is closed, so the expression was not evaluated.");
}

function failed(code: string, message: string, cause?: unknown): WaymarkError {
  return new WaymarkError({ code, message, fix: sandboxCodes[code]?.fix ?? "", cause });
}
