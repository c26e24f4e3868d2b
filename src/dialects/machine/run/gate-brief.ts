import type { Json } from "../../../base/index.ts";
import { formatCheck, sectionsOf, type GateDefinition, type SessionTask } from "../definition/index.ts";
import { criteriaIn, filesOf, tasksIn, type SessionLook } from "./artifacts.ts";
import type { MachineRun } from "./machine-run.ts";
import { wantedCommands } from "./run-checks.ts";
import type { SessionFile } from "./session-folder.ts";
import { evaluate } from "./sync-session.ts";

/** So much of a section is shown; the rest is in the file. */
const mostOfSection = 400;
const mostTasks = 40;

/** What a person must see before answering a gate, with the recommendation that follows from it. */
export async function gateBrief(look: SessionLook, gate: GateDefinition): Promise<string> {
  const { run, files } = look;
  const parts: string[] = [gate.question];
  for (const name of gate.shows) {
    const artifact = run.definition.artifacts[name];
    if (artifact === undefined) continue;
    for (const file of await filesOf(look, artifact))
      parts.push(artifact.form === "tasks" ? planBrief(run, file, tasksIn(files)) : documentBrief(run, file));
  }
  const criteria = criteriaIn(files);
  if (gate.shows.includes("acceptance") && criteria.length > 0)
    parts.push(
      list(
        "Criteria:",
        criteria.map(({ id, description, verify }) => `${id}: ${description} (${verify.map(formatCheck).join("; ")})`),
      ),
    );
  if (gate.allowsCommands) parts.push(commandBrief(wantedCommands("all", undefined, files)));
  const choices = Object.entries(gate.choices).map(([value, meaning]) => `${value}: ${meaning}`);
  if (choices.length > 0) parts.push(list("Choices:", choices));
  const advice = gate.recommend === undefined ? undefined : await recommended(look, gate.recommend);
  if (advice !== undefined) parts.push(`Recommended: ${advice}.`);
  parts.push(howToAnswer(gate));
  return parts.join("\n\n");
}

export function howToAnswer({ passes, choices, changes }: GateDefinition): string {
  const words = [...(passes === undefined ? [] : [`\`${passes}\``]), ...Object.keys(choices).map((value) => `\`${value}\``)];
  const back = changes === undefined ? "" : `, or \`${changes.prefix} <what to change>\``;
  return `Answer ${words.join(" or ")}${back}.`;
}

function documentBrief({ folder }: MachineRun, { path, text }: SessionFile): string {
  const sections = sectionsOf(text).map(({ heading, body }) => ({ heading, said: ownWords(body) }));
  const lines = sections.flatMap(({ heading, said }) => {
    if (heading === "" || said === "") return [];
    return `${heading}: ${said.length > mostOfSection ? `${said.slice(0, mostOfSection)} ...` : said}`;
  });
  return lines.length === 0 ? `${folder}/${path}` : list(`${folder}/${path}:`, lines);
}

/** The text of a section before its first part: each part is shown by itself. */
function ownWords(body: string): string {
  const [first] = sectionsOf(body);
  const lines = body.split("\n").slice(0, first === undefined ? undefined : first.line - 1);
  return lines.join("\n").trim().replace(/\s+/g, " ");
}

function planBrief({ folder }: MachineRun, { path }: SessionFile, tasks: readonly SessionTask[]): string {
  const lines = tasks.slice(0, mostTasks).map(({ id, type, title, depends_on, risk_flags, status }) => {
    const after = depends_on.length === 0 ? "" : `, after ${depends_on.join(", ")}`;
    const risks = risk_flags.filter((flag) => flag !== "none");
    return `- ${id} (${type}${after}${risks.length === 0 ? "" : `, risk: ${risks.join(", ")}`}${status === "not-started" ? "" : `, ${status}`}): ${title}`;
  });
  const more = tasks.length > mostTasks ? [`... and ${tasks.length - mostTasks} more`] : [];
  return [`${folder}/${path}: ${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}`, ...lines, ...more].join("\n");
}

function commandBrief(commands: readonly string[]): string {
  if (commands.length === 0) return "No commands are run as checks.";
  return list("Your answer allows Waymark to run exactly these commands as checks:", commands);
}

async function recommended(look: SessionLook, code: string): Promise<string | undefined> {
  const tasks = tasksIn(look.files);
  const advice = await evaluate(look, code, { tasks: tasks as unknown as Json, task_count: tasks.length });
  return typeof advice === "string" ? advice : undefined;
}

/** A line, and below it one line for each entry. */
export function list(title: string, entries: readonly string[]): string {
  return [title, ...entries.map((entry) => `- ${entry}`)].join("\n");
}
