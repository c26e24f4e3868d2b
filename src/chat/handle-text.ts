import { asSentence, defined, nearest } from "../base/index.ts";
import type { StartableWorkflow } from "../engine/index.ts";
import { route, type AskModel, type Routed } from "../router/index.ts";
import { requireRight, whereIs, type Desk } from "./desk.ts";
import { HoldRoutingLine } from "./hold-routing-line.ts";
import { Reply } from "./reply.ts";
import { startRun } from "./start-run.ts";
import { talk } from "./talk.ts";

/** Before a message that is routed where all others start the workflow of the configuration. */
const escape = "!";

/** A text that is neither a command nor an answer: a workflow takes it, or it is talked about. */
export async function handleText(desk: Desk): Promise<void> {
  const { parts, message, person } = desk;
  const { engine } = await whereIs(desk);
  const workflows = await engine.context.catalog.startable();
  const reply = new Reply(desk.place);
  const { agent } = parts;
  // For who may start nothing no model has to choose.
  const mayStart = person.may.has("start");
  const ask = agent === undefined || !mayStart ? undefined : askAgent(desk, agent, reply);
  // While a question is open, a text may be meant as its answer: it starts nothing unless it asks for it.
  const isUsual = mayStart && desk.asked.length === 0;
  const usual = parts.workflow === undefined || !isUsual ? undefined : { workflow: parts.workflow, escape };
  const held = new HoldRoutingLine((text) => reply.add(text));
  const onText = (text: string): void => held.add(text);
  const routed = await route({ message: message.text, workflows, onText, ...defined({ ask, usual, signal: parts.cancel }) });
  held.end();
  for (const note of routed.notes ?? []) parts.log("info", note);
  await reply.end().catch((error: unknown) => parts.log("warn", `What the agent said could not be sent: ${String(error)}`));
  if (routed.kind === "route") return startRun(desk, routed.workflow, routed.intent);
  if (routed.kind === "converse" && routed.answer !== undefined)
    return routed.notes === undefined ? undefined : desk.say(nothingText(workflows, routed, held.named));
  if (agent !== undefined && ask === undefined) return justTalk(desk, agent);
  await desk.say(routed.kind === "ask" ? askText(routed) : listText(workflows, routed));
}

function askAgent(desk: Desk, agent: string, reply: Reply): AskModel {
  return (prompt) => talk(desk, agent, prompt, reply);
}

export async function justTalk(desk: Desk, agent: string, prompt: string = desk.message.text): Promise<void> {
  const reply = new Reply(desk.place);
  try {
    for await (const text of talk(desk, agent, prompt, reply)) reply.add(text);
  } finally {
    await reply.end();
  }
}

/** A text with a slash before it may name a workflow; answers whether it does, and starts it then. */
export async function startNamed(desk: Desk): Promise<boolean> {
  const { engine } = await whereIs(desk);
  const routed = await route({ message: desk.message.text, workflows: await engine.context.catalog.startable() });
  if (routed.kind !== "route" || routed.by !== "name") return false;
  requireRight(desk, "start");
  await startRun(desk, routed.workflow, routed.intent);
  return true;
}

/** A line has the request in it where that is short enough, and can be written as it is then. */
function askText({ candidates, notes, intent }: Extract<Routed, { readonly kind: "ask" }>): string {
  const request = intent.trim();
  const isShort = request.length <= longestRepeated && !request.includes("\n");
  const lines = candidates.map(({ workflow }) => `/workflow run ${workflow}${isShort ? ` ${request}` : ""}`);
  const what = isShort ? "Write the line:" : "Write the line with what you want behind it:";
  return [`Which workflow do you mean? ${what}`, lines.join("\n"), ...notesOf(notes)].join("\n\n");
}

const longestRepeated = 200;

/** Why a name that the agent gave started nothing, and what it may have meant. */
function nothingText(workflows: readonly StartableWorkflow[], { candidates, notes }: Routed, named = ""): string {
  const names = workflows.map(({ name }) => name);
  const near = [...new Set([...nearest(named, names), ...candidates.map(({ workflow }) => workflow)])].slice(0, mostNear);
  const lines =
    near.length === 0 ? ["Write `/workflow list` for all."] : ["These are near:", ...near.map((name) => `/workflow run ${name}`)];
  return [`${notesOf(notes).join("\n")} Nothing was started.`, lines.join("\n")].join("\n\n");
}

const mostNear = 3;

const mostListed = 8;

/** Without an agent nobody can talk: what can be started is all there is to say. */
function listText(workflows: readonly StartableWorkflow[], { notes }: Routed): string {
  // Bundled ones are many, and the same everywhere.
  const ownFirst = workflows.toSorted((a, b) => Number(a.source === "bundled") - Number(b.source === "bundled"));
  const lines = ownFirst.slice(0, mostListed).map(({ name, description }) => `- **${name}**: ${firstSentence(description)}`);
  const more = workflows.length > mostListed ? [`... and ${workflows.length - mostListed} more: /workflow list`] : [];
  const head =
    workflows.length === 0
      ? "Nothing was started, and there are no workflows. Create workflows in `.archon/workflows/` as YAML files."
      : "This asks for no workflow, so nothing was started. You can ask for one of these, or write `/workflow run <name> <what you want>`:";
  return [...notesOf(notes), head, [...lines, ...more].join("\n")].filter((part) => part !== "").join("\n\n");
}

function firstSentence(description: string): string {
  const [first = ""] = description.trim().split(/(?<=[.!?])\s|\n/);
  return first;
}

function notesOf(notes: readonly string[] = []): readonly string[] {
  return notes.length === 0 ? [] : [notes.map((note) => asSentence(note)).join("\n")];
}
