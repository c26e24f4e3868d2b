import type { ServerResponse } from "node:http";
import { isWaymarkError, type WaymarkError } from "../base/index.ts";
import { failed, messageOf } from "./codes.ts";

export function sendJson(response: ServerResponse, status: number, body: unknown, type = "application/json"): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}

/** Problem details: the code is permanent, `detail` and `fix` are for people. `log` gets what has no code. */
export function sendProblem(response: ServerResponse, cause: unknown, log: (error: unknown) => void): void {
  if (!isWaymarkError(cause)) log(cause);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const error = isWaymarkError(cause) ? cause : unexpected(cause);
  const status = statuses[error.code] ?? (error.code.startsWith("STORE_") ? 503 : 400);
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="waymark"');
  if (typeof error.details["allowed"] === "string") response.setHeader("allow", error.details["allowed"]);
  // Whatever of the body was not read is not worth reading.
  response.setHeader("connection", "close");
  const { code, message: detail, fix } = error;
  sendJson(response, status, { type: "about:blank", title: code, status, code, detail, fix }, "application/problem+json");
}

const statuses: Readonly<Record<string, number>> = {
  HTTP_NO_TOKEN: 401,
  HTTP_PERSON_TOKEN: 403,
  HTTP_BROWSER: 403,
  HTTP_MESSAGE_REFUSED: 403,
  HTTP_NOT_FOUND: 404,
  HTTP_METHOD: 405,
  HTTP_BODY: 400,
  HTTP_TOO_LONG: 413,
  HTTP_UNEXPECTED: 500,
  HTTP_STORE_SILENT: 503,
  ENGINE_NO_RUN: 404,
  ENGINE_NO_DECISION: 404,
  DECISION_CLOSED: 409,
  DECISION_REVISED: 409,
  ANSWER_REFUSED: 422,
};

function unexpected(cause: unknown): WaymarkError {
  return failed("HTTP_UNEXPECTED", { message: `Waymark failed unexpectedly: ${messageOf(cause).slice(0, 400)}`, cause });
}
