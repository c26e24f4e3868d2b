import { WaymarkError, type Catalogue, type ErrorFacts } from "../base/index.ts";

/** Codes of the HTTP surface; refusals of the engine keep their own. */
export const httpCodes: Catalogue = {
  HTTP_NO_TOKEN: {
    what: "The request carries no valid token.",
    why: "Everything on this address needs one, also from this computer.",
    fix: "Send `Authorization: Bearer <token>` with a token from the server's address file.",
  },
  HTTP_PERSON_TOKEN: {
    what: "Only the person token may do this.",
    why: "Answers of people are never taken from an agent's token.",
    fix: "The person uses the person token, or `waymark decide` on a terminal.",
  },
  HTTP_NOT_FOUND: {
    what: "There is nothing at this path.",
    why: "The path is mistyped.",
    fix: "Use `/mcp`, `/api/runs`, `/api/status?run_id=...` or `/api/decide`.",
  },
  HTTP_METHOD: {
    what: "The path does not take this method.",
    why: "Each path takes one or two methods only.",
    fix: "Use the method named in the `Allow` header.",
  },
  HTTP_BODY: {
    what: "The body of the request cannot be used.",
    why: "It is not JSON, too long, or lacks a field.",
    fix: "Send a JSON object as the message says, with `Content-Type: application/json`.",
  },
  HTTP_TOO_LONG: {
    what: "The message to the chat is too long.",
    why: "A message may have 100,000 characters: it is a request, not a file.",
    fix: "Put the text into a file of the workspace and name the file.",
  },
  HTTP_BROWSER: {
    what: "The request comes from a web page.",
    why: "The test adapter has no token, so any page that is open in a browser of this computer could write to it.",
    fix: "Use a program such as `curl`, which sends no `Origin` header.",
  },
  HTTP_MESSAGE_REFUSED: {
    what: "The chat did not take the message.",
    why: "The chat is closing, or the configuration does not know who writes.",
    fix: "Read the reason in the messages of the conversation: `GET /test/messages/<id>`.",
  },
  HTTP_STORE_SILENT: {
    what: "The store has not answered for a while.",
    why: "The database is away, or others have it locked. Waymark still waits for it, up to `store.wait_ms`.",
    fix: "Look at the database. What was said in the chat is kept once it answers.",
  },
  HTTP_UNEXPECTED: {
    what: "Waymark failed in a way it does not know.",
    why: "This is a fault in Waymark, or in the computer it runs on. What was recorded before is safe.",
    fix: "Look at the run's status; report the fault with the log.",
  },
  HTTP_LISTEN: {
    what: "The server could not listen.",
    why: "The port is taken, or this user may not use it.",
    fix: "Use another port, or 0 for a free one.",
  },
  HTTP_ADDRESS_FILE: {
    what: "The file with the address and the tokens could not be written.",
    why: "The folder cannot be made or written, or the disk is full.",
    fix: "Make the folder in the message writable for this user.",
  },
};

/** Message and fix are the catalogue's, unless this case has better ones. */
export function failed(code: string, facts: Partial<ErrorFacts> = {}): WaymarkError {
  const { what, fix } = httpCodes[code] ?? { what: code, fix: "" };
  return new WaymarkError({ code, message: what, fix, ...facts });
}

export function badBody(problem: string): WaymarkError {
  return failed("HTTP_BODY", { message: `The body of the request ${problem}. Nothing was changed.` });
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
