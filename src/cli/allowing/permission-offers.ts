import { isWaymarkError } from "../../base/index.ts";
import {
  isOwnRun,
  lineOfRun,
  runsToAllow,
  whatAgentsGet,
  whatItRuns,
  whatPeopleAreAsked,
  type EngineContext,
  type LoadedWorkflow,
} from "../../engine/index.ts";
import { usage } from "../codes.ts";
import type { Session } from "../session.ts";
import { startLine } from "../start-lines.ts";
import { isTestFile } from "../testing/test-files.ts";
import { whatChanged, type Changes } from "./what-changed.ts";

type Runs = Awaited<ReturnType<typeof runsToAllow>>;

/** One permission that could be given, with what a person must see before: of a project's workflow its questions too. */
export interface Offer {
  readonly hash: string;
  /** Empty for a single command or agent. */
  readonly workflow: string;
  readonly runs: Runs;
  readonly path?: string;
  readonly files?: readonly string[];
  /** An open run that has this content, where the file has another one by now. */
  readonly run?: string;
  /** The line that starts the workflow. */
  readonly start?: string;
  /** Of a workflow: what is around the runs, as the permission keeps it. */
  readonly plan?: readonly string[];
  readonly changes?: Changes;
}

/** With the content that is offered. */
interface WorkflowOffer extends Offer {
  readonly program: NonNullable<LoadedWorkflow["program"]>;
}

export function commandOffer(context: EngineContext, command: string): Offer {
  return runOffer(context, { kind: "command", text: command });
}

/** A permission for one thing, in every run of the workspace. */
function runOffer({ host }: EngineContext, run: Runs[number]): Offer {
  return { hash: host.sha256(JSON.stringify([host.workspace, lineOfRun(run)])), workflow: "", runs: [run] };
}

export async function agentOffer({ world, flags }: Session, context: EngineContext, name: string): Promise<Offer> {
  const { [name]: text } = await world.projectAgents(flags);
  if (text !== undefined) return runOffer(context, { kind: "agent", text });
  throw usage(`The project's configuration has no agent \`${name}\`. Other agents need no permission.`, "See `waymark agents`.");
}

/** Every agent of the project that is not allowed as it is now. */
export async function agentOffers({ world, flags }: Session, context: EngineContext): Promise<readonly Offer[]> {
  const offers = Object.values(await world.projectAgents(flags)).map((text) => runOffer(context, { kind: "agent", text }));
  const held = await Promise.all(offers.map(({ hash }) => context.host.permissions.find(hash)));
  return offers.filter((_, at) => held[at] === undefined);
}

/** Workflows that need a permission, each as it is now and as open runs have it; the others are named and passed over. */
export async function workflowOffers(session: Session, context: EngineContext, names: readonly string[]): Promise<Offer[]> {
  const all = names.length === 0;
  const found = all ? (await context.catalog.list()).filter((entry) => !entry.shadowed && !isTestFile(entry.path)) : [];
  const listed = found.filter(({ source }) => source === "project");
  const offers: WorkflowOffer[] = [];
  for (const name of all ? listed.map((entry) => entry.name) : names) {
    const pinned = await pinnedOffers(context, name);
    const workflow = await (all ? context.catalog.load(name) : context.catalog.loadValid(name)).catch((error: unknown) => {
      // An open run keeps its content when the file is gone or broken.
      if (pinned.length === 0 || !isWaymarkError(error)) throw error;
      return undefined;
    });
    const current = workflow === undefined ? undefined : await currentOffer(context, workflow);
    const others = pinned.filter(({ hash, program }) => workflow === undefined || !isSame(context, { hash, program }, workflow));
    const offered = [...(typeof current === "object" ? [current] : []), ...others];
    offers.push(...offered);
    if (typeof current === "string" && offered.length === 0) session.out.line(`${name}: ${current}.`);
  }
  for (const { source, name } of found) if (source !== "project") offers.push(...(await ownOffer(context, name, offers)));
  return Promise.all(offers.map((offer) => describe(session, context, offer)));
}

/** Whether an open run has this content, also where it was started from a checkout elsewhere. */
function isSame(
  { catalog, host }: EngineContext,
  { hash, program }: Pick<WorkflowOffer, "hash" | "program">,
  workflow: LoadedWorkflow,
): boolean {
  return hash === workflow.hash || catalog.hashesIn(program, host.workspace).includes(workflow.hash);
}

/** What the project adds to a workflow that is not of the project, unless it is offered already: a command is allowed by its line. */
async function ownOffer(context: EngineContext, name: string, offered: readonly Offer[]): Promise<readonly WorkflowOffer[]> {
  const current = await currentOffer(context, await context.catalog.load(name));
  if (typeof current === "string") return [];
  const lines = new Set(offered.flatMap(({ runs }) => runs.map(lineOfRun)));
  return current.runs.every((run) => run.kind === "command" && lines.has(lineOfRun(run))) ? [] : [current];
}

/** Why there is nothing to allow, where that is so. */
async function currentOffer(
  context: EngineContext,
  { name, program, own, source, hash, path, files }: LoadedWorkflow,
): Promise<WorkflowOffer | string> {
  if (program === undefined) return "it has errors";
  const runs = await runsToAllow(context, { program, own });
  if (runs.length > 0) {
    const paths = files.map((file) => file.path);
    const start = startLine(context, name, program);
    return { hash, workflow: name, program, runs: withQuestions(runs, program, own), path, files: paths, start };
  }
  if (own) return `it is ${source === "bundled" ? "bundled with Waymark" : "your own"} and needs no permission`;
  return [...whatItRuns(context, program), ...whatAgentsGet(context, program)].length === 0
    ? "it runs nothing by itself and needs no permission"
    : "it is allowed already, exactly as it is now";
}

/** Who asks in the user's own workflows and in bundled ones is known. */
function withQuestions(runs: Runs, program: WorkflowOffer["program"], own: boolean): Runs {
  return own ? runs : [...runs, ...whatPeopleAreAsked(program)];
}

/** The content of open runs of the workflow that may not run now, each once. */
async function pinnedOffers(context: EngineContext, workflow: string): Promise<WorkflowOffer[]> {
  const offers = new Map<string, WorkflowOffer>();
  for (const { id } of await context.store.listRuns({ workflow, status: ["running"] })) {
    const handle = await context.runs.open(id);
    const hash = context.catalog.hashOf(handle.program);
    if (offers.has(hash)) continue;
    const own = await isOwnRun(context, handle);
    const runs = await runsToAllow(context, { program: handle.program, own });
    if (runs.length === 0) continue;
    offers.set(hash, { hash, workflow, program: handle.program, runs: withQuestions(runs, handle.program, own), run: id });
  }
  return [...offers.values()];
}

async function describe(session: Session, context: EngineContext, { program, ...offer }: WorkflowOffer): Promise<Offer> {
  const { hash, workflow, runs } = offer;
  const servers = runs.some(({ server }) => server !== undefined) ? [] : context.catalog.servers;
  const explained = await session.world.explain(program, "text", {});
  const plan = [...aroundRuns(explained, runs), ...servers.map((server) => `tool server ${server}`)];
  const last = await context.host.permissions.lastGiven(workflow);
  return { ...offer, plan, ...(last === undefined || last.hash === hash ? {} : { changes: whatChanged(last, runs, plan) }) };
}

/** Lines of a plan without those that only repeat a command. */
function aroundRuns(plan: string, runs: Runs): readonly string[] {
  const texts = runs.map(({ text }) => text.replace(/\s+/g, " ").trim());
  const repeats = (line: string): boolean =>
    texts.some((text) => text === line || (line.endsWith("…") && text.startsWith(line.slice(0, -1))));
  return plan
    .trimEnd()
    .split("\n")
    .filter((line) => !repeats(line.trim()));
}
