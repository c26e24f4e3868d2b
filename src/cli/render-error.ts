import { isWaymarkError, WaymarkError } from "../base/index.ts";
import { cliCodes } from "./codes.ts";
import type { Output } from "./output.ts";

/** Any failure as an error with a code; a fault of our own keeps its cause. */
export function asWaymarkError(error: unknown): WaymarkError {
  if (isWaymarkError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new WaymarkError({
    code: "CLI_UNEXPECTED",
    message: `Something failed that should not: ${message}`,
    fix: cliCodes["CLI_UNEXPECTED"]?.fix ?? "",
    cause: error,
  });
}

/** What happened and why, then what to do; as JSON when that was asked for. A stack only for `WAYMARK_LOG=debug`. */
export function renderError(out: Output, error: WaymarkError, debug: boolean): void {
  if (out.json) {
    const { code, message, fix, details } = error;
    const shown = { code, message, ...(fix === undefined ? {} : { fix }), ...(Object.keys(details).length === 0 ? {} : { details }) };
    out.complain(JSON.stringify({ error: shown }));
  } else {
    out.complain(`${out.paint("red", "✗")} ${error.message} ${out.paint("dim", `(${error.code})`)}`);
    if (error.fix !== undefined) out.complain(`${out.paint("cyan", "→")} ${error.fix}`);
  }
  if (debug) out.complain(stackOf(error));
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\nCaused by: ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
