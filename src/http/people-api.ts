import type { IncomingMessage } from "node:http";
import { defined, type JsonObject } from "../base/index.ts";
import { answer, oneCommand, runs, type Caller, type EngineContext } from "../engine/index.ts";
import { overviewOf, runStatus } from "../mcp/index.ts";
import { badBody, failed } from "./codes.ts";
import { readBody } from "./read-body.ts";

/** Which of the two tokens came with the request. */
export type Bearer = "agent" | "person";

const runsListed = 100;

/** A few questions and one answer, for people and their programs. Answers JSON; throws what should be answered instead. */
export async function answerPeople(engine: EngineContext, request: IncomingMessage, bearer: Bearer): Promise<JsonObject> {
  const context = oneCommand(engine);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  switch (pathname) {
    case "/api/runs": {
      requireMethod(request, "GET");
      const after = searchParams.get("after");
      const found = await runs(context, { limit: runsListed, ...(after === null ? {} : { after }) });
      return { runs: found.map(overviewOf) };
    }
    case "/api/status": {
      requireMethod(request, "GET");
      const run = searchParams.get("run_id");
      if (run === null || run === "") {
        const open = await runs(context, { status: ["running"], limit: runsListed });
        return { workspace: context.host.workspace, open_runs: open.map(overviewOf) };
      }
      return runStatus({ engine: context, caller: personOf(context) }, await context.runs.idOf(run), true);
    }
    case "/api/decide":
      requireMethod(request, "POST");
      if (bearer !== "person") throw failed("HTTP_PERSON_TOKEN");
      return decide(context, await readBody(request));
    default:
      throw failed("HTTP_NOT_FOUND", { message: `There is nothing at \`${pathname.slice(0, 200)}\`.` });
  }
}

function requireMethod(request: IncomingMessage, allowed: "GET" | "POST"): void {
  const method = request.method ?? "GET";
  const message = `This path does not take ${method}.`;
  if (method !== allowed) throw failed("HTTP_METHOD", { message, fix: `Use ${allowed}.`, details: { allowed } });
}

async function decide(context: EngineContext, body: JsonObject): Promise<JsonObject> {
  const { run_id: run, decision_id: decision, answer: given, revision, reason } = body;
  if (typeof run !== "string" || run === "") throw badBody("has no text under `run_id`");
  if (typeof decision !== "string" || decision === "") throw badBody("has no text under `decision_id`");
  if (given === undefined) throw badBody("has no `answer`");
  if (revision !== undefined && typeof revision !== "number") throw badBody("has a `revision` that is not a number");
  if (reason !== undefined && typeof reason !== "string") throw badBody("has a `reason` that is not a text");
  const done = await answer(context, personOf(context), {
    run: await context.runs.idOf(run),
    decision,
    answer: given,
    relayed: false,
    // A call that is made again must not answer what is asked in the next round.
    revision: revision ?? 1,
    ...defined({ reason }),
  });
  return { recorded: done.recorded, run_id: run, decision_id: done.decision, answer: done.answer };
}

/** The holder of the person token is a person, and which one is not known. */
function personOf(context: EngineContext): Caller {
  const session = `${context.host.processId}-http`;
  return { holder: { kind: "person", name: "holder of the person token", session }, surface: "http", leaseOwner: session };
}
