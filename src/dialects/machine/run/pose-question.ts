import { textOf, type Json, type JsonObject, cutText } from "../../../base/index.ts";
import {
  formatCheck,
  mintDecisionId,
  sectionsOf,
  sessionFiles,
  taskFailed,
  type AskDefinition,
  type GateDefinition,
  type SessionTask,
} from "../definition/index.ts";
import { bindsOf, criteriaIn, filesOf, tasksIn, type SessionLook } from "./artifacts.ts";
import { differenceOf, expectedText, pendingRecord, withRecord } from "./engine-files.ts";
import { gateOf } from "./gates.ts";
import { keyOf, objectIn, taskOf, textIn, textsOf, type MachineMemory, type MachineRun } from "./machine-run.ts";
import { foundByRole } from "./repair-rounds.ts";
import { wantedCommands } from "./run-checks.ts";
import { sessionFilesOf, type SessionFile } from "./session-folder.ts";
import { evaluate, performed, timeOf, type MachineJob, type PerformMachine } from "./sync-session.ts";

/** A question as the kernel asks it. */
export interface Posed {
  readonly kind: string;
  readonly id: string;
  readonly prompt: string;
  readonly options: readonly { readonly value: string; readonly label: string }[] | null;
  readonly pattern: string | null;
  readonly patternMessage: string | null;
  /** Programs read it; no number of wrong answers closes a question for a person. */
  readonly attempts: null;
  readonly binds: Readonly<Record<string, string>> | null;
  readonly about: JsonObject;
}

type Question = Omit<Posed, "kind" | "id" | "about"> & { readonly id?: string; readonly blocker?: MachineMemory["blocker"] };

/** Writes the question down as pending before it is asked. */
export const pose: PerformMachine = async (job) => {
  const { context, run, effect } = job;
  const about = objectIn(effect.args, "about");
  const kind = textIn(about, "kind");
  const question = await questionOf(job, kind, about);
  const id = question.id ?? mintDecisionId(run.memory.decisions.map(({ decision_id }) => decision_id));
  const state = run.state || textIn(effect.args, "state");
  const gate = kind === "gate" ? gateOf(run.definition, id)?.state : undefined;
  const record = pendingRecord(id, question.prompt, await timeOf(context), gate ?? state);
  const { blocker, ...shown } = question;
  const posed: Posed = { ...shown, kind, id, about };
  const memory = { decisions: withRecord(run.memory.decisions, record), ...(blocker === undefined ? {} : { blocker }) };
  return performed(job, posed as unknown as Json, { memory, names: { question: id } });
};

const plain = { options: null, pattern: null, patternMessage: null, attempts: null, binds: null } as const;

function choice(prompt: string, options: readonly (readonly [string, string])[]): Question {
  return { ...plain, prompt, options: options.map(([value, label]) => ({ value, label })) };
}

function inWords(prompt: string): Question {
  return { ...plain, prompt, pattern: "\\S", patternMessage: "Answer in words." };
}

/** Options of which some go with a text of the person's own. */
function free(prompt: string, words: readonly string[], prefixes: readonly string[]): Question {
  const escaped = [...words, ...prefixes.map((prefix) => `${prefix}:\\s*\\S[\\s\\S]*`)].join("|");
  const shown = [...words.map((word) => `\`${word}\``), ...prefixes.map((prefix) => `\`${prefix}: <text>\``)].join(", ");
  return { ...plain, prompt: `${prompt}\nAnswer one of ${shown}.`, pattern: `^(?:${escaped})$`, patternMessage: `Answer one of ${shown}.` };
}

async function questionOf(job: MachineJob, kind: string, about: JsonObject): Promise<Question> {
  const detail = textOf(about["detail"] ?? "");
  switch (kind) {
    case "gate":
      return gateQuestion(job, about);
    case "halt":
      return halted(job, textIn(about, "code"), detail);
    case "question":
      return inWords([detail, ...textsOf(about["questions"])].join("\n"));
    case "repair":
      return repairQuestion(job, about);
    case "edited":
      return editedQuestion(job, textIn(about, "file"));
    case "commands":
      return commandQuestion(textsOf(about["commands"]));
    case "manual":
      return waivable(about, free(manualPrompt(about), ["confirmed"], ["waive", "not-met"]));
    case "unmet":
      return waivable(about, free(list("The session cannot end yet:", textsOf(about["problems"])), ["retry", "stop"], ["waive"]));
    default:
      return adHoc(job, about);
  }
}

function commandQuestion(commands: readonly string[]): Question {
  const shown = list("These commands were written by an agent and have not been allowed yet:", commands);
  return choice(`${shown}\nMay Waymark run them as checks?`, [
    ["allow", "Run exactly these"],
    ["not-run", "Do not run them; what they check counts as not met"],
  ]);
}

function manualPrompt(about: JsonObject): string {
  const criteria = textsOf(about["criteria"]).join("\n");
  return about["again"] === true
    ? `The session cannot end yet, since a person said that these criteria are not met:\n${criteria}\nAre they met now?`
    : `These criteria need to be looked at by a person:\n${criteria}\nAre they met?`;
}

/** A waiver must name what it waives; one that names nothing is refused, with what there is. */
function waivable(about: JsonObject, question: Question): Question {
  const names = textsOf(about["waivable"]);
  const open = textsOf(about["open"]);
  const any = "waive:\\s*\\S[\\s\\S]*";
  const what = open.length === 0 ? "a criterion, a task, a role or a failing command" : open.map((name) => `\`${name}\``).join(", ");
  return {
    ...question,
    pattern: (question.pattern ?? "").replace(any, () => (names.length === 0 ? "(?!)" : `waive:${mentioning(names)}`)),
    patternMessage: `${question.patternMessage ?? ""} A waiver names what it waives: ${what}.`,
  };
}

/** What a role found is shown with the question that it led to. */
function adHoc({ run }: MachineJob, about: JsonObject): Question {
  const ask = about["ask"] as unknown as AskDefinition;
  const prompt = list(ask.question, foundByRole(run));
  return ask.options.length > 0 ? { ...plain, prompt, options: ask.options } : inWords(prompt);
}

async function halted({ context, run, handle }: MachineJob, code: string, detail: string): Promise<Question> {
  const since = run.memory.blocker?.since ?? (await timeOf(context));
  const recovery = `Fix the cause, then answer \`retry\`: waymark decide ${handle.id}`;
  // Guidance is for the next role; what an open task should know is given by a note.
  const prefixes = code === taskFailed ? [] : ["guidance"];
  const question = free(`Nothing can continue: ${detail}`, ["retry", "stop"], prefixes);
  return { ...question, blocker: { code, detail, since, recovery } };
}

function repairQuestion({ effect }: MachineJob, about: JsonObject): Question {
  const task = keyOf(taskOf(effect.args["task"]));
  const evidence = list(`${textIn(about, "loop")} of ${task} leads nowhere:`, textsOf(about["evidence"]));
  const prompt = `${evidence}\nHow should it continue?`;
  const cut = about["cutScope"] === null ? [] : ["cut-scope"];
  return free(prompt, ["other-approach", "accept", ...cut], ["guidance"]);
}

async function editedQuestion({ context, run, handle }: MachineJob, file: string): Promise<Question> {
  const found = run.memory.edits[file] ?? "";
  const expected = await expectedText(context, handle, run, file);
  const diff = differenceOf(file, expected, found);
  const taken =
    file === sessionFiles.tasks
      ? "the plan is read again from it"
      : file === sessionFiles.status
        ? "its assumptions, known issues and keys of others count"
        : "it stays as it is now";
  return choice(`Only Waymark writes ${run.folder}/${file}, and someone else changed it:\n${diff}`, [
    ["undo", "Write it again as Waymark has it"],
    ["take-over", `Take the change over: ${taken}`],
  ]);
}

async function gateQuestion({ context, run }: MachineJob, about: JsonObject): Promise<Question> {
  const id = textIn(about, "gate");
  const { gate } = gateOf(run.definition, id) ?? {};
  if (gate === undefined) throw new Error(`The machine has no gate ${id}.`);
  const files = await sessionFilesOf(context, run);
  const brief = await gateBrief({ context, run, files }, gate);
  const why = textIn(run.raw, "gate_note");
  const voided =
    about["unanswered"] === true
      ? "The run passed this point without an answer from a person. It stops here until you answer.\n\n"
      : about["void"] === true
        ? "What was approved has changed since, so the approval does not count any more.\n\n"
        : why === ""
          ? ""
          : `${why}\n\n`;
  const words = [...(gate.passes === undefined ? [] : [gate.passes]), ...Object.keys(gate.choices)].map(literal);
  const changes = gate.changes === undefined ? [] : [`${literal(gate.changes.prefix)}\\s*\\S[\\s\\S]*`];
  return {
    id,
    prompt: `${voided}${brief}`,
    options: null,
    pattern: `^(?:${[...words, ...changes].join("|")})$`,
    patternMessage: howToAnswer(gate),
    attempts: null,
    binds: await bindsOf({ context, run, files }, gate.binds),
  };
}

/** The names that a text mentions as whole words. A name inside a longer one, or inside a command, is not mentioned. */
export function mentioned(text: string, names: readonly string[]): readonly string[] {
  let left = text;
  const found: string[] = [];
  for (const name of longestFirst(names)) {
    const rest = left.replaceAll(new RegExp(whole(name), "g"), "\n");
    if (rest !== left) found.push(name);
    left = rest;
  }
  return found;
}

/** A pattern for texts that mention one of these. */
export function mentioning(names: readonly string[]): string {
  return `[\\s\\S]*?(?:${longestFirst(names).map(whole).join("|")})[\\s\\S]*`;
}

/** A word as a pattern that matches nothing but it. */
export function literal(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function whole(name: string): string {
  return `(?<![\\w.-])${literal(name)}(?![\\w-]|\\.\\w)`;
}

function longestFirst(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => name !== "").toSorted((a, b) => b.length - a.length);
}

/** So much of a section is shown; the rest is in the file, which the question names. */
const mostOfSection = 400;

/** What a person must see before answering a gate, with the recommendation that follows from it. */
async function gateBrief(look: SessionLook, gate: GateDefinition): Promise<string> {
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
  const commands = gate.allowsCommands ? wantedCommands("all", undefined, files) : [];
  if (commands.length > 0) parts.push(list("Your answer allows Waymark to run exactly these commands as checks:", commands));
  else if (gate.allowsCommands) parts.push("No commands are run as checks.");
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
    return `${heading}: ${cutText(said, mostOfSection, " ... (cut; the file has all of it)")}`;
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
  const lines = tasks.map(({ id, type, title, depends_on, risk_flags, status }) => {
    const after = depends_on.length === 0 ? "" : `, after ${depends_on.join(", ")}`;
    const risks = risk_flags.filter((flag) => flag !== "none");
    return `- ${id} (${type}${after}${risks.length === 0 ? "" : `, risk: ${risks.join(", ")}`}${status === "not-started" ? "" : `, ${status}`}): ${title}`;
  });
  return [`${folder}/${path}: ${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}`, ...lines].join("\n");
}

async function recommended(look: SessionLook, code: string): Promise<string | undefined> {
  const tasks = tasksIn(look.files);
  const advice = await evaluate(look, code, { tasks: tasks as unknown as Json, task_count: tasks.length });
  return typeof advice === "string" ? advice : undefined;
}

/** A line, and below it one line for each entry. */
function list(title: string, entries: readonly string[]): string {
  return [title, ...entries.map((entry) => `- ${entry}`)].join("\n");
}
