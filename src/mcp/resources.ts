import { ProtocolError, ProtocolErrorCode, ResourceTemplate, type McpServer } from "@modelcontextprotocol/server";
import { isWaymarkError, counted, cutText } from "../base/index.ts";
import { journal, runs, type Caller, type EngineContext, type JournalEntry, type Position } from "../engine/index.ts";
import { mcpCodes } from "./codes.ts";
import { startingWith } from "./prompts.ts";
import { joinLines } from "./reply-text.ts";
import type { DialectTools } from "./tool.ts";
import { runStatus } from "./tools/status-tool.ts";

const recordsPerPage = 20;
const recordsPerRead = 200;

interface Server {
  readonly context: EngineContext;
  readonly dialects: readonly DialectTools[];
  readonly caller: () => Caller;
}

interface Resource {
  /** What comes after the run in its address. */
  readonly view: string;
  readonly uri: string;
  readonly description: string;
  readonly mimeType: string;
  readonly read: (server: Server, run: string, address: URL) => Promise<string>;
}

const resources: Readonly<Record<string, Resource>> = {
  run: {
    view: "",
    uri: "waymark://runs/{id}",
    description: "How far a run is.",
    mimeType: "application/json",
    read: async ({ context, caller }, run) => JSON.stringify(await runStatus({ engine: context, caller: caller() }, run), null, 2),
  },
  journal: {
    view: "journal",
    uri: "waymark://runs/{id}/journal{?after}",
    description: "What happened in a run, page by page.",
    mimeType: "application/json",
    read: readJournal,
  },
  report: {
    view: "report",
    uri: "waymark://runs/{id}/report",
    description: "What a run did, in words.",
    mimeType: "text/markdown",
    read: readReport,
  },
};

/** A run, its journal and its report, for clients that show resources. Nothing that an agent needs is only here. */
export function registerResources(mcp: McpServer, server: Server): void {
  const ids = async (): Promise<string[]> => (await runs(server.context, { limit: 100 })).map((run) => run.id);
  const complete = { id: async (begun: string) => startingWith(await ids(), begun) };
  for (const [name, { uri, description, mimeType }] of Object.entries(resources)) {
    const template = new ResourceTemplate(uri, { list: undefined, complete });
    mcp.registerResource(name, template, { description, mimeType }, async ({ href }) => read(server, href));
  }
  // The templates' own matching knows no optional query, so every address is read here.
  mcp.server.setRequestHandler("resources/read", async (request) => read(server, request.params.uri));
}

async function read(server: Server, uri: string): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
  if (!URL.canParse(uri)) throw notFound(uri);
  const address = new URL(uri);
  const [, id = "", view = ""] = address.protocol === "waymark:" && address.hostname === "runs" ? address.pathname.split("/") : [];
  const resource = id === "" ? undefined : Object.values(resources).find((each) => each.view === view);
  if (resource === undefined) throw notFound(address.href);
  try {
    const text = await resource.read(server, await server.context.runs.idOf(decodeURIComponent(id)), address);
    return { contents: [{ uri: address.href, mimeType: resource.mimeType, text }] };
  } catch (error) {
    if (error instanceof URIError || (isWaymarkError(error) && error.code === "ENGINE_NO_RUN")) throw notFound(address.href);
    throw error;
  }
}

function notFound(uri: string): ProtocolError {
  const code = "MCP_NO_RESOURCE";
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource \`${uri}\`. ${mcpCodes[code]?.fix ?? ""}`, { uri, code });
}

async function readJournal({ context }: Server, run: string, address: URL): Promise<string> {
  const asked = Number(address.searchParams.get("after") ?? 0);
  const after = Number.isSafeInteger(asked) && asked > 0 ? asked : 0;
  const records = await journal(context, run, after, recordsPerPage);
  const last = records.length === recordsPerPage ? records.at(-1) : undefined;
  const more = last === undefined ? {} : { next: `waymark://runs/${encodeURIComponent(run)}/journal?after=${last.position}` };
  return JSON.stringify({ run_id: run, after, records, ...more }, null, 2);
}

async function readReport({ context, dialects }: Server, run: string): Promise<string> {
  const report = new RunReport();
  for (let after = 0; ;) {
    const records = await journal(context, run, after, recordsPerRead);
    for (const record of records) report.add(record);
    if (records.length < recordsPerRead) break;
    after = records.at(-1)?.position ?? after;
  }
  const handle = await context.runs.open(run);
  const added = await Promise.all(dialects.map(async (dialect) => dialect.report?.(context, handle)));
  return `${report.render(handle.state)}\n${joinLines(added)}`;
}

/** Lines of each section that a report shows; the journal has the rest. */
const linesShown = 60;

/** Collects what a report says, record by record, so that no long journal has to be in memory. */
class RunReport {
  readonly #questions = new Map<string, { readonly question: string; answer?: string }>();
  readonly #sections: Record<"Failures" | "Warnings" | "Notes" | "Checkpoints" | "What was done", string[]> = {
    Failures: [],
    Warnings: [],
    Notes: [],
    Checkpoints: [],
    "What was done": [],
  };
  readonly #counts = { done: 0, failed: 0, skipped: 0, records: 0 };

  add({ at, by, events }: JournalEntry): void {
    this.#counts.records += 1;
    const { Failures, Warnings, Notes, Checkpoints, "What was done": done } = this.#sections;
    for (const event of events) {
      switch (event.type) {
        case "left":
          if (event.leaf === true) this.#counts[event.how] += 1;
          if (event.leaf === true && event.how === "done") done.push(`- ${at} \`${event.block}\``);
          break;
        case "failed": {
          const { code, message } = event.error;
          Failures.push(`- ${at} \`${event.block}\`: ${oneLine(message)} (${code}; then: ${event.handled})`);
          break;
        }
        case "warned":
          Warnings.push(`- ${oneLine(event.message)}`);
          break;
        case "noted":
          Notes.push(`- ${event.note.from.name}: ${oneLine(event.note.text)}`);
          break;
        case "marked":
          Checkpoints.push(`- ${at} at \`${event.mark.step}\`: ${oneLine(event.mark.reason)}`);
          break;
        case "decision_opened":
          this.#questions.set(event.decision.id, { question: oneLine(event.decision.question) });
          break;
        case "decision_closed": {
          const asked = this.#questions.get(event.decision);
          const { kind, name, relayed, surface } = event.by ?? {};
          const who = event.by === undefined ? by.name : `${kind} ${name}${relayed === true ? ", relayed" : ""} over ${surface}`;
          const answer = event.status === "answered" ? `${oneLine(JSON.stringify(event.answer ?? null))} (${who})` : event.status;
          if (asked !== undefined) asked.answer = answer;
          break;
        }
        default:
      }
    }
  }

  /** The report as Markdown. */
  render({ id, workflow, status, startedAt, endedAt, error, lists }: Position["state"]): string {
    const { done, failed, skipped, records } = this.#counts;
    const questions = [...this.#questions].map(
      ([name, asked]) => `- \`${name}\` ${asked.question}\n  - ${asked.answer ?? "not answered yet"}`,
    );
    const items = Object.entries(lists).map(([name, { total, by }]) => {
      const counts = Object.entries(by).map(([state, count]) => `${count} ${state}`);
      return `- \`${name}\`: ${counted(total, "item")}: ${counts.join(", ")}`;
    });
    const ended = endedAt === undefined ? "" : `, ended ${new Date(endedAt).toISOString()}`;
    const why = error === undefined ? "" : ` ${oneLine(error.message)} (${error.code})`;
    return [
      `# ${workflow}: run ${id}`,
      `${status.slice(0, 1).toUpperCase()}${status.slice(1)}; started ${new Date(startedAt).toISOString()}${ended}.${why}`,
      `${counted(done, "step")} done, ${failed} failed, ${skipped} skipped; ${counted(records, "journal record")}.`,
      ...section("Items", items),
      ...section("Questions and answers", questions),
      ...Object.entries(this.#sections).flatMap(([title, lines]) => section(title, lines)),
    ].join("\n\n");
  }
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const left = lines.length - linesShown;
  const shown = left > 0 ? [`- ... ${left} earlier ones are in the journal`, ...lines.slice(-linesShown)] : lines;
  return [`## ${title}\n\n${shown.join("\n")}`];
}

function oneLine(text: string): string {
  return cutText(text.replace(/\s+/g, " ").trim(), 300);
}
