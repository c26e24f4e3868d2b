import { ProtocolError, ProtocolErrorCode, ResourceTemplate, type McpServer } from "@modelcontextprotocol/server";
import { isWaymarkError } from "../base/index.ts";
import { journal, runs, type Caller, type EngineContext } from "../engine/index.ts";
import { noResource } from "./codes.ts";
import type { DialectTools } from "./dialect-tools.ts";
import { startingWith } from "./prompts.ts";
import { joinLines } from "./reply-text.ts";
import { RunReport } from "./run-report.ts";
import { runStatus } from "./tools/look-tools.ts";

const recordsPerPage = 20;
const recordsPerRead = 200;

interface Resource {
  readonly mimeType: string;
  readonly text: string;
}

interface Server {
  readonly context: EngineContext;
  readonly dialects: readonly DialectTools[];
}

/** A run, its journal and its report, for clients that show resources. Nothing that an agent needs is only here. */
export function registerResources(server: McpServer, parts: Server, caller: () => Caller): void {
  const complete = {
    id: async (begun: string) =>
      startingWith(
        (await runs(parts.context, { limit: 100 })).map((run) => run.id),
        begun,
      ),
  };
  for (const [name, { uri, description, mimeType }] of Object.entries(templates)) {
    server.registerResource(name, new ResourceTemplate(uri, { list: undefined, complete }), { description, mimeType }, async (address) =>
      read(parts, caller, address),
    );
  }
  // The templates' own matching knows no optional query, so every address is read here.
  server.server.setRequestHandler("resources/read", async (request) => read(parts, caller, addressOf(request.params.uri)));
}

const templates: Readonly<Record<string, { readonly uri: string; readonly description: string; readonly mimeType: string }>> = {
  run: { uri: "waymark://runs/{id}", description: "Where a run stands.", mimeType: "application/json" },
  journal: {
    uri: "waymark://runs/{id}/journal{?after}",
    description: "What happened in a run, page by page.",
    mimeType: "application/json",
  },
  report: { uri: "waymark://runs/{id}/report", description: "What a run did, in words.", mimeType: "text/markdown" },
};

function addressOf(uri: string): URL {
  try {
    return new URL(uri);
  } catch {
    throw notFound(uri);
  }
}

async function read(
  parts: Server,
  caller: () => Caller,
  address: URL,
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
  const [, id = "", view = ""] = address.protocol === "waymark:" && address.hostname === "runs" ? address.pathname.split("/") : [];
  const known = id !== "" && ["", "journal", "report"].includes(view);
  if (!known) throw notFound(address.href);
  try {
    const run = decodeURIComponent(id);
    const { mimeType, text } =
      view === ""
        ? await readRun(parts.context, caller(), run)
        : view === "journal"
          ? await readJournal(parts.context, run, address)
          : await readReport(parts, run);
    return { contents: [{ uri: address.href, mimeType, text }] };
  } catch (error) {
    if (error instanceof URIError || (isWaymarkError(error) && error.code === "ENGINE_NO_RUN")) throw notFound(address.href);
    throw error;
  }
}

function notFound(uri: string): ProtocolError {
  const { code, message, fix } = noResource(uri);
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `${message} ${fix ?? ""}`, { uri, code });
}

async function readRun(engine: EngineContext, caller: Caller, run: string): Promise<Resource> {
  return { mimeType: "application/json", text: JSON.stringify(await runStatus({ engine, caller }, run), null, 2) };
}

async function readJournal(engine: EngineContext, run: string, address: URL): Promise<Resource> {
  const asked = Number(address.searchParams.get("after") ?? 0);
  const after = Number.isSafeInteger(asked) && asked > 0 ? asked : 0;
  const records = await journal(engine, run, after, recordsPerPage);
  const last = records.at(-1)?.position;
  const more =
    last !== undefined && records.length === recordsPerPage
      ? { next: `waymark://runs/${encodeURIComponent(run)}/journal?after=${last}` }
      : {};
  return { mimeType: "application/json", text: JSON.stringify({ run_id: run, after, records, ...more }, null, 2) };
}

async function readReport({ context: engine, dialects }: Server, run: string): Promise<Resource> {
  const report = new RunReport();
  for (let after = 0; ;) {
    const records = await journal(engine, run, after, recordsPerRead);
    for (const record of records) report.add(record);
    if (records.length < recordsPerRead) break;
    after = records.at(-1)?.position ?? after;
  }
  const handle = await engine.runs.open(run);
  const added = await Promise.all(dialects.map(async (dialect) => dialect.report?.(engine, handle)));
  return { mimeType: "text/markdown", text: `${report.render(handle.state)}\n${joinLines(added)}` };
}
