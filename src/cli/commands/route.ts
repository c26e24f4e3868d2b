import { asSentence, defined, isWaymarkError, shorten, visibleText } from "../../base/index.ts";
import { neededInputs, type EngineContext, type StartableWorkflow } from "../../engine/index.ts";
import { route, type AskModel, type Candidate, type Routed } from "../../router/index.ts";
import { talkToAgent } from "../../runner/index.ts";
import { usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { startRequestLine } from "../start-lines.ts";
import type { Session } from "../session.ts";
import type { OpenAgents } from "../world.ts";

/** A silent agent is given up after this time at the latest, in milliseconds: words decide then. */
const longestSilence = 60_000;

/** A candidate with the line that starts it, and what that line still needs. */
interface Startable extends Candidate {
  readonly start: string;
  readonly asks: readonly string[];
}

export async function routeCommand({ session, args, options }: Given): Promise<void> {
  const given = args.length === 1 && args[0] === "-" ? await session.readGiven("-", "the request") : args.join(" ");
  const message = given.trim();
  if (message === "") throw usage("There is no request to route.", 'waymark route "fix the login"');
  const agent = options["agent"] as string | undefined;
  if (agent === undefined) return session.withEngine((context) => show(session, context, { message }));
  const opened = await session.world.openAgents(session.flags);
  try {
    // An agent that cannot be used is refused; one that fails later lets words decide.
    await opened.agents.resolve(agent);
    await session.withEngine((context) => show(session, context, { message, ask: askAgent(session, opened, agent) }));
  } finally {
    await opened.close();
  }
}

function askAgent({ workspace }: Session, { agents, idleMs }: OpenAgents, agent: string): AskModel {
  return async function* ask(prompt, signal) {
    const talk = talkToAgent({ agents, agent, folder: workspace, prompt, idleMs: Math.min(idleMs, longestSilence), signal });
    for await (const event of talk) if (event.type === "text") yield event.text;
  };
}

async function show(
  session: Session,
  context: EngineContext,
  { message, ask }: { readonly message: string; readonly ask?: AskModel },
): Promise<void> {
  const { out, world } = session;
  const workflows = await context.catalog.startable();
  const signal = ask === undefined ? undefined : world.stopSignal();
  const routed = await route({ message, workflows, ...defined({ ask, signal }) });
  const candidates = await startable(context, routed, message);
  const { notes = [], kind, by } = routed;
  const [first] = candidates;
  out.document({
    kind,
    by,
    ...(routed.kind === "route" ? { workflow: routed.workflow } : {}),
    intent: intentOf(routed, message),
    ...(routed.kind === "converse" ? defined({ answer: routed.answer }) : {}),
    candidates: candidates.map(({ start, ...candidate }) => ({ ...candidate, start: out.placed(start) })),
    ...(notes.length > 0 && { notes }),
    ...(routed.kind === "route" && first !== undefined
      ? { [first.asks.length === 0 ? "next_command" : "later_command"]: first.start }
      : {}),
  });
  for (const note of notes) out.line(`${out.paint("yellow", "!")} ${visibleText(asSentence(note))}`);
  out.advice(headOf(routed, workflows));
  showCandidates(session, candidates);
  if (routed.kind === "route") for (const { start, asks } of candidates.slice(0, 1)) showStart(session, start, asks);
  if (routed.kind === "ask") for (const { start } of candidates) out.advice(`  ${start}`);
}

function headOf(routed: Routed, workflows: readonly StartableWorkflow[]): string {
  if (routed.kind === "route") return `\`${routed.workflow}\` takes this (decided by ${byText[routed.by]}). Nothing is started.`;
  if (routed.kind === "ask") return "It is not clear which workflow this asks for. Nothing is started. Start the one you mean:";
  if (routed.answer !== undefined) return routed.answer.trim();
  if (workflows.length === 0) return "There are no workflows to choose from. See waymark list.";
  return "This asks for no workflow, so nothing would be started. waymark list shows all workflows.";
}

const byText: Readonly<Record<Routed["by"], string>> = {
  command: "the command",
  name: "the name at its beginning",
  default: "the usual workflow",
  model: "the agent",
  words: "its words",
};

function showCandidates({ out }: Session, candidates: readonly Startable[]): void {
  if (candidates.length === 0) return;
  const rows = candidates.map(({ workflow, score, why }) => [workflow, String(score), shorten(visibleText(why.join("; ")), 100)]);
  out.table(["WORKFLOW", "SCORE", "WHY"], rows, "  ");
}

function showStart({ out }: Session, start: string, asks: readonly string[]): void {
  if (asks.length === 0) return out.hint(`→ ${start}`);
  out.advice(`It needs ${asks.join(" and ")}. Then: ${start}`);
}

function intentOf(routed: Routed, message: string): string {
  return routed.kind === "converse" ? message : routed.intent;
}

async function startable(context: EngineContext, routed: Routed, message: string): Promise<readonly Startable[]> {
  const intent = intentOf(routed, message);
  const made = await Promise.all(routed.candidates.map((candidate) => startableOf(context, candidate, intent)));
  return made.filter((each) => each !== undefined);
}

/** Undefined where the file was changed meanwhile and has errors now. */
async function startableOf(context: EngineContext, candidate: Candidate, intent: string): Promise<Startable | undefined> {
  try {
    const { program } = await context.catalog.loadValid(candidate.workflow);
    const { start, given } = startRequestLine(context, candidate.workflow, program, intent);
    const inputs = program.parts[program.main]?.inputs ?? {};
    const said = context.leaves.said(program, intent);
    const asks = [
      ...neededInputs(inputs, given).map((name) => `\`${name}\` (${inputs[name]?.description ?? inputs[name]?.type ?? ""})`),
      ...Object.entries(context.leaves.needs(program)).flatMap(([name, keys]) =>
        keys.flatMap((key) => (said[name]?.[key] === undefined ? [`\`${key}\` (in \`${name}\`)`] : [])),
      ),
    ];
    return { ...candidate, start, asks };
  } catch (error) {
    if (isWaymarkError(error)) return undefined;
    throw error;
  }
}
