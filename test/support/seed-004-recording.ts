/** Driven runs of `delivery`, recorded: everything handed out, asked and written. Each is driven once; many tests look at it. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isList, isObject, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { answer, next, type Position } from "../../src/engine/index.ts";
import { bundledMachine, openMachineWorld, person, type Answers, type MachineWorld, type Play } from "./machine-world.ts";
import { taskOf } from "./scripted-team.ts";

const execute = promisify(execFile);

export interface StatusFile extends JsonObject {
  readonly current_state: string;
  readonly session: string;
  readonly assumptions: readonly string[];
  readonly known_issues: readonly string[];
  readonly user_decisions: readonly DecisionLine[];
  readonly retry_counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
interface DecisionLine extends JsonObject {
  readonly decision_id: string;
  readonly question: string;
  readonly status: string;
  readonly answer: string | null;
  readonly resolved_at: string | null;
  readonly resolution_reason: string | null;
  readonly state_context: string;
}

/** Something that was handed to a role or asked of a person, with the files as they were then. */
export interface Turn {
  readonly kind: "do" | "ask";
  /** `Role:task`, or the id of the question. */
  readonly what: string;
  readonly dispatch: JsonObject;
  readonly question: string;
  readonly status: StatusFile;
  /** Status by task, as `tasks.yaml` says. */
  readonly tasks: Readonly<Record<string, string>>;
  readonly history: string;
  /** Names of the files in the session's folder, as they were then. */
  readonly present: readonly string[];
  /** What was answered or reported. */
  given: Json;
}

export interface Recording {
  readonly turns: readonly Turn[];
  /** Every status file that was written, in order. */
  readonly writes: readonly StatusFile[];
  /** States that these show, each change once. */
  readonly shown: readonly string[];
  /** Refusals: code and message. */
  readonly refused: readonly string[];
  readonly ended: string;
  /** How many dispatches were open at once, at most. */
  readonly together: number;
  /** The dispatch or question that was open at the end. */
  readonly open: string;
  /** What that dispatch carries. */
  readonly handed: JsonObject;
  /** Files of the session's folder at the end, by name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Script {
  readonly inputs: JsonObject;
  readonly cast: Readonly<Record<string, Play>>;
  readonly answers: (id: string, question: string, world: MachineWorld) => string | Declined | undefined;
  readonly files?: Readonly<Record<string, string>>;
  readonly workflow?: string;
  /** Ends the recording when this role is to be dispatched for the n-th time. */
  readonly stopAt?: readonly [what: string, times: number];
  /** The store is opened by another process when this is handed out. */
  readonly reopenAt?: string;
  /** Makes writes of the session's files fail; answers why. */
  readonly failing?: (path: string) => string | undefined;
}

/** The person says that there will be no answer. */
interface Declined {
  readonly declined: string;
}

const project = {
  "check.mjs": 'import { existsSync } from "node:fs";\nif (existsSync("red")) { console.error("red"); process.exit(1); }\n',
  "README.md": "# Sample\n",
};

export async function record(script: Script): Promise<Recording> {
  const { workflow = "delivery" } = script;
  const world = await openMachineWorld({ ...(await bundledMachine()), ...project, ...script.files }, { workflow });
  const { engine } = world;
  try {
    return await recordIn(world, script);
  } finally {
    if (world.engine !== engine) await world.engine.close();
    await world.close();
  }
}

/** Records one more run in a world that is open. */
export async function recordIn(world: MachineWorld, script: Script): Promise<Recording> {
  const from = world.seen.length;
  const taking: Taking = { world, script, run: "", turns: [], writes: [] };
  watchWrites(taking);
  const begun: Taking = { ...taking, run: await world.begin(script.inputs) };
  const end = await driveOn(begun, from);
  const { turns, writes } = begun;
  const refused = world.seen.slice(from).flatMap((line) => (line.startsWith("refused ") ? [line.slice("refused ".length)] : []));
  const states = writes.map(({ current_state }) => current_state);
  const shown = states.filter((state, index) => state !== states[index - 1]);
  const files = await filesIn(join(world.folder, ".agents-work", await sessionOf(begun)));
  return { turns, writes: [...writes], shown, refused, ...end, files };
}

/** A recording that is being made. */
interface Taking {
  readonly world: MachineWorld;
  readonly script: Script;
  readonly run: string;
  readonly turns: Turn[];
  readonly writes: StatusFile[];
}

async function sessionOf({ world, writes }: Taking): Promise<string> {
  return textOf(writes.at(-1)?.session ?? "") || (await world.session());
}

async function noteTurn(taking: Taking, turn: Pick<Turn, "kind" | "what" | "dispatch" | "question">): Promise<Turn> {
  const { world, turns } = taking;
  const folder = `.agents-work/${await sessionOf(taking)}`;
  const status = JSON.parse(await world.text(`${folder}/status.json`)) as StatusFile;
  const plan = await world.text(`${folder}/tasks.yaml`).catch(() => "");
  const history = await world.text(`${folder}/approve-design-history.jsonl`).catch(() => "");
  const present = Object.keys(await filesIn(join(world.folder, folder)));
  const noted: Turn = { ...turn, status, tasks: statusesIn(plan), history, present, given: null };
  turns.push(noted);
  return noted;
}

function castOf(taking: Taking): Readonly<Record<string, Play>> {
  const play: Play = async (dispatch, at) => {
    const turn = await noteTurn(taking, { kind: "do", what: textOf(dispatch["step"] ?? ""), dispatch, question: "" });
    const given = await (taking.script.cast[textOf(dispatch["role"] ?? "")] as Play)(dispatch, at);
    return (turn.given = given as Json);
  };
  return Object.fromEntries(Object.keys(taking.script.cast).map((role) => [role, play]));
}

function answersOf(taking: Taking): Answers {
  const { script, run } = taking;
  return async ({ id, question, revision, attemptsLeft }, at) => {
    const turn = await noteTurn(taking, { kind: "ask", what: id, dispatch: { revision, attemptsLeft: attemptsLeft ?? null }, question });
    const said = script.answers(id, question, at);
    if (said === undefined || typeof said === "string") {
      turn.given = said ?? null;
      return said;
    }
    turn.given = "(declined)";
    await answer(at.engine.context, person, { run, decision: id, answer: null, relayed: false, declined: said.declined });
    return "";
  };
}

/** Until the run ends or stands, or the recording is to end; with another process from `reopenAt` on. */
async function driveOn(taking: Taking, from: number): Promise<Pick<Recording, "ended" | "open" | "handed" | "together">> {
  const { world, script, run } = taking;
  const { stopAt, reopenAt } = script;
  const cast = castOf(taking);
  const answers = answersOf(taking);
  let together = 0;
  let reopened = reopenAt === undefined;
  for (;;) {
    const { standing, state } = await world.drive(run, cast, answers, (position) => {
      together = Math.max(together, Object.keys(position.state.actions).length);
      const step = position.standing.kind === "action" ? textOf(position.standing.action.step) : "";
      if (!reopened && step === reopenAt) return true;
      const times = world.seen.slice(from).filter((line) => line === `do ${step}`).length;
      return stopAt !== undefined && step === stopAt[0] && times + 1 >= stopAt[1];
    });
    if (reopened || standing.kind !== "action") {
      const open = standing.kind === "action" ? textOf(standing.action.step) : standing.kind === "question" ? standing.decision.id : "";
      return { ended: standing.kind === "ended" ? state.status : standing.kind, open, handed: handedIn(standing), together };
    }
    reopened = true;
    await reopen(world, run);
    watchWrites(taking);
  }
}

function handedIn(standing: Position["standing"]): JsonObject {
  const dispatch = standing.kind === "action" ? standing.action.args["dispatch"] : undefined;
  return isObject(dispatch) ? dispatch : {};
}

/** As if the process had ended: what was in memory is gone. */
async function reopen(world: MachineWorld, run: string): Promise<void> {
  const { context } = world.engine;
  context.holding.close();
  await context.timers.close();
  await context.effects.close();
  const engine = await world.engine.again();
  (world as { engine: MachineWorld["engine"] }).engine = engine;
  await next(engine.context, engine.caller, { run, takeOver: true });
}

function watchWrites({ world, script: { failing }, writes }: Taking): void {
  const workspace = world.engine.context.workspace as { writeFile: MachineWorld["engine"]["context"]["workspace"]["writeFile"] };
  const real = workspace.writeFile;
  workspace.writeFile = async (root, path, bytes, expected) => {
    const reason = failing?.(path);
    if (reason !== undefined) return { status: "failed", code: "failed", path, reason };
    const outcome = await real(root, path, bytes, expected);
    if (path.endsWith("/status.json")) writes.push(JSON.parse(new TextDecoder().decode(bytes)) as StatusFile);
    return outcome;
  };
}

function statusesIn(plan: string): Record<string, string> {
  const found = plan.matchAll(/^ +- id: (\S+)\n +status: (\S+)/gm);
  return Object.fromEntries([...found].map(([, id = "", status = ""]) => [id, status]));
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files: Record<string, string> = {};
  for (const entry of names.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files[path.slice(folder.length + 1)] = await readFile(path, "utf8");
  }
  return files;
}

export async function git(world: MachineWorld, ...args: readonly string[]): Promise<void> {
  await execute("git", [...args], { cwd: world.folder });
}

export const did = ({ turns }: Recording): string[] => turns.flatMap(({ kind, what }) => (kind === "do" ? [what] : []));
export const order = ({ turns }: Recording): string[] => turns.map(({ kind, what }) => `${kind} ${what}`);
export const doing = ({ turns }: Recording, what: string): Turn[] => turns.filter((turn) => turn.kind === "do" && turn.what === what);
export const asking = ({ turns }: Recording, what: string): Turn[] => turns.filter((turn) => turn.kind === "ask" && turn.what === what);
/** Questions whose text holds this. */
export const askingOf = ({ turns }: Recording, text: string): Turn[] => turns.filter((turn) => turn.question.includes(text));
export const ways = ({ shown }: Recording): string[] => shown.slice(1).map((to, index) => `${shown[index] ?? ""} -> ${to}`);
export const decisionIn = ({ user_decisions }: StatusFile, id: string): DecisionLine | undefined =>
  user_decisions.find(({ decision_id }) => decision_id === id);
export const taskIn = ({ dispatch }: Turn): JsonObject => taskOf(dispatch);
export const textsIn = (value: Json | undefined): string[] => (isList(value) ? value.map(textOf) : []);

/** Plays these in turn, then the last of them for ever. */
export function inTurn(...plays: readonly Play[]): Play {
  const left = [...plays];
  return async (dispatch, world) => ((left.length > 1 ? left.shift() : left[0]) as Play)(dispatch, world);
}
