import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { engineDialects } from "../../src/bin/dialect-parts.ts";
import { isObject, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { answer, createEngine, next, progress, start, type Caller, type EngineContext } from "../../src/engine/index.ts";
import { createTopicLayers } from "../../src/host/index.ts";
import { createTestHost } from "./test-host.ts";
import type { Decision } from "../../src/kernel/index.ts";
import { openKnowledge } from "../../src/knowledge/index.ts";
import type { CommandOutcome, Commands, Host } from "../../src/ports/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { fileTranscripts, openSqliteStore } from "../../src/store/index.ts";
import { createWorkspace } from "../../src/workspace/index.ts";
import { person, repository } from "./machine-world.ts";
import { acceptance, architecture, blocks, passes, plan, reported, reportText, spec, taskOf } from "./scripted-team.ts";

/** Answers the next number from 0 up to, but not including, `below`. */
export type Dice = (below: number) => number;

/** What one walk did, as far as the engine acknowledged it. */
export interface Walked {
  readonly ended: string;
  readonly turns: number;
  readonly crashes: number;
  readonly dispatches: number;
  readonly answers: number;
  readonly refused: number;
  readonly corrections: number;
  /** What must never happen, a sentence each. */
  readonly complaints: readonly string[];
}

export interface WalkPlace {
  walk(dice: Dice): Promise<Walked>;
  close(): Promise<void>;
}

const checkCommand = "test ! -e broken";
/** How many turns a walk may take: most are short, some go to the end. */
export type Turns = (dice: Dice) => number;
const usualTurns: Turns = (dice) => (dice(8) === 0 ? 90 : 6 + dice(18));

/** A workspace in memory where the machine walks again and again; there is no git on its computer, so that a walk costs little. */
export async function openWalkPlace(turns: Turns = usualTurns): Promise<WalkPlace> {
  const base = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "waymark-walk-"));
  const folder = join(base, "work");
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, HOME: join(base, "home"), XDG_DATA_HOME: join(base, "data"), XDG_CONFIG_HOME: join(base, "config") };
  const { host, config } = await createTestHost(folder, join(repository, "workflows"), env);
  const store = await openSqliteStore({ folder: config.store });
  const sandbox = createSandbox();
  const workspace = createWorkspace({ workers: 0 });
  const layers = {
    workspace: folder,
    bundledFolder: folder,
    configFolder: join(base, "c"),
    extraFolders: [],
    cacheFolder: join(base, "t"),
  };
  const knowledge = openKnowledge({ files: createTopicLayers(layers) });
  const parts = engineDialects;
  let processes = 0;
  const boot = (): Booted => {
    processes += 1;
    const own: Host = { ...host, processId: `walk-${processes}`, commands: withoutGit(host.commands) };
    const context = createEngine({
      ...parts,
      store,
      transcripts: fileTranscripts({ folder: config.store }),
      host: own,
      sandbox,
      workspace,
      knowledge,
      settings: { callWaitMs: 5000 },
    });
    const caller: Caller = {
      holder: { kind: "agent", name: "walker", session: `s${processes}` },
      surface: "test",
      leaseOwner: `walk-${processes}-c`,
    };
    return { context, caller };
  };
  const first = boot();
  const begin = async (inputs: JsonObject): Promise<string> =>
    (await start(first.context, first.caller, { workflow: "delivery", inputs, waitMs: 5000 })).run;
  return {
    walk: (dice) => new Walk({ boot, begin, folder, write, turns }, dice).run(),
    close: async () => {
      await stop(first.context);
      await sandbox.close();
      await store.close();
      await host.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** What a shell answers for a program that is not there; all other commands are run. */
function withoutGit(commands: Commands): Commands {
  const stdout = { text: "", bytes: 0 };
  const absent: CommandOutcome = { exitCode: 127, signal: null, ended: "exit", stdout, stderr: "git: not found", ms: 0 };
  return {
    run: async (request) => (request.command.startsWith("git ") ? absent : commands.run(request)),
    read: (output) => commands.read(output),
    settle: (...asked) => commands.settle(...asked),
    begun: (run) => commands.begun(run),
    settleDead: (signal) => commands.settleDead(signal),
  };
}

/** What a process does is over: nothing of it is recorded any more. */
async function stop({ holding, timers, effects }: EngineContext): Promise<void> {
  holding.close();
  await timers.close();
  await effects.close();
}

interface Booted {
  readonly context: EngineContext;
  readonly caller: Caller;
}

interface Place {
  readonly boot: () => Booted;
  readonly begin: (inputs: JsonObject) => Promise<string>;
  readonly turns: Turns;
  readonly folder: string;
  readonly write: (path: string, text: string) => Promise<void>;
}

class Walk {
  readonly #place: Place;
  readonly #dice: Dice;
  #engine: Booted;
  #id = "";
  #turns = 0;
  #crashes = 0;
  #dispatches = 0;
  #refused = 0;
  #corrections = 0;
  /** Answers that were acknowledged, newest of each question. */
  readonly #given = new Map<string, string>();
  #answers = 0;
  /** Requests for changes and the corrections that were reported since the gate was asked last. */
  #wanted = 0;
  readonly #complaints: string[] = [];

  constructor(place: Place, dice: Dice) {
    this.#place = place;
    this.#dice = dice;
    this.#engine = place.boot();
  }

  async run(): Promise<Walked> {
    await rm(join(this.#place.folder, "broken"), { force: true });
    const lean = this.#dice(5) === 0;
    const confirmed = { no_interpretation: true, few_files: true, no_architecture: true, no_ui: true, no_security: true, short_work: true };
    const inputs = { request: "Walk about", ...(lean ? { mode: "lean", confirmed } : {}) };
    this.#id = await this.#place.begin(inputs);
    let ended = "open";
    const most = this.#place.turns(this.#dice);
    for (; this.#turns < most && ended === "open"; this.#turns += 1) ended = await this.#turn();
    await this.#judge(ended);
    await this.#stop();
    return {
      ended,
      turns: this.#turns,
      crashes: this.#crashes,
      dispatches: this.#dispatches,
      answers: this.#answers,
      refused: this.#refused,
      corrections: this.#corrections,
      complaints: this.#complaints,
    };
  }

  /** The process dies: what it was doing is not recorded, and another one goes on. */
  async #crash(): Promise<void> {
    this.#crashes += 1;
    await this.#stop();
    this.#engine = this.#place.boot();
  }

  async #stop(): Promise<void> {
    await stop(this.#engine.context);
  }

  async #turn(): Promise<string> {
    if (this.#dice(8) === 0) {
      // A look that is cut short leaves effects half done.
      await next(this.#engine.context, this.#engine.caller, { run: this.#id, takeOver: true, waitMs: 0 }).catch(() => undefined);
      await this.#crash();
    }
    const { context, caller } = this.#engine;
    const { standing, state } = await next(context, caller, { run: this.#id, takeOver: true });
    if (standing.kind === "ended") return state.status;
    if (standing.kind === "question") await this.#answer(standing.decision);
    else if (standing.kind === "action") await this.#play(standing.action.id, standing.action.args["dispatch"]);
    else if (standing.kind !== "working") this.#complaints.push(`The run stands still: ${JSON.stringify(standing)}`);
    return "open";
  }

  async #play(action: string, given: Json | undefined): Promise<void> {
    if (!isObject(given)) return;
    this.#dispatches += 1;
    const result = await this.#report(given);
    try {
      const { context, caller } = this.#engine;
      const { reported: done } = await progress(context, caller, {
        run: this.#id,
        action,
        status: "success",
        result: result as never,
        waitMs: 0,
      });
      if (done.recorded === "now" && given["correction"] !== undefined && isObject(result) && result["status"] === "OK") this.#corrected();
    } catch {
      this.#refused += 1;
    }
    if (this.#dice(4) === 0) await rm(join(this.#place.folder, "broken"), { force: true });
  }

  #corrected(): void {
    this.#corrections += 1;
    this.#wanted -= 1;
    if (this.#wanted < 0) this.#complaints.push("A correction was dispatched twice.");
  }

  /** What a role does: mostly its work, sometimes something else. */
  async #report(dispatch: JsonObject): Promise<unknown> {
    const role = textOf(dispatch["role"] ?? "");
    const luck = this.#dice(20);
    if (luck === 0) return "not json";
    if (luck === 1) return reported("FAIL", "I cannot.");
    if (luck === 2) {
      await this.#place.write(`.agents-work/${textOf(dispatch["session"] ?? "").split("/")[1] ?? ""}/stray.md`, `${this.#dice(1000)}\n`);
      return this.#work(role, dispatch);
    }
    if (luck === 3) await this.#place.write("broken", "x\n");
    if (luck === 4 && role === "Reviewer") return blocks(`wrong ${this.#dice(3)}`);
    if (luck <= 6 && role === "QA") return this.#qa("BLOCKED");
    if (luck <= 6 && role === "Security") return this.#finding(luck === 5 ? "medium" : "high");
    if (luck === 7 && role === "Coder")
      return reported("BLOCKED", "Too much.", {
        artifacts: { patch_summary: [] },
        next: { recommended_agent: "SpecAgent", recommended_task_id: null, reason: "complex" },
      });
    return this.#work(role, dispatch);
  }

  #qa(status: string): JsonObject {
    const results = { passed: 1, failed: status === "OK" ? 0 : 1, skipped: 0, output: "." };
    return reported(status, "Tested.", {
      artifacts: { test_results: results, coverage_gaps: status === "OK" ? [] : [`gap ${this.#dice(3)}`] },
    });
  }

  #finding(severity: string): JsonObject {
    const findings = [
      { severity, category: "input", file: "src/x.mjs", description: `hole ${this.#dice(3)}`, recommended_fix: "close it" },
    ];
    return reported(severity === "medium" ? "NEEDS_DECISION" : "BLOCKED", "Found.", { artifacts: { findings } });
  }

  async #work(role: string, dispatch: JsonObject): Promise<unknown> {
    const session = textOf(dispatch["session"] ?? "");
    const put = (name: string, text: string): Promise<void> =>
      this.#place.write(`${session}/${name}`, text.replaceAll("node check.mjs", checkCommand));
    const bad = this.#dice(12) === 0;
    switch (role) {
      case "SpecAgent":
        await put("spec.md", bad ? "# nothing\n" : `${spec}\n<!-- ${this.#dice(1000)} -->\n`);
        await put("acceptance.json", acceptance);
        if (taskOf(dispatch)["lean"] === true) await put("tasks.yaml", plan(["T-001"]));
        return reported("OK", "Specified.");
      case "Architect":
        await put("architecture.md", bad ? "" : architecture);
        return reported("OK", "Designed.");
      case "Planner":
        await put("tasks.yaml", bad ? "tasks: [\n" : plan(["T-001", "T-002"].slice(0, 1 + this.#dice(2))));
        return reported("OK", "Planned.");
      case "Coder":
        if (!bad)
          await this.#place.write(`src/${textOf(taskOf(dispatch)["id"] ?? "")}.mjs`, `export const made = ${this.#dice(1_000_000)};\n`);
        return reported("OK", "Coded.", { artifacts: { patch_summary: [] } });
      case "Reviewer":
        return this.#dice(10) === 0 ? { ...passes("Some notes."), verdict: "PASS WITH NOTES" } : passes();
      case "QA":
        return this.#qa("OK");
      case "Integrator":
        return reported("OK", "Green.", { artifacts: { ci_notes: [] } });
      case "Docs":
        await put("report.md", bad ? "# Report\n" : reportText);
        return reported("OK", "Documented.");
      default:
        return reported("OK", "Done.");
    }
  }

  async #answer(question: Decision): Promise<void> {
    const luck = this.#dice(10);
    const text = luck === 0 ? "approved? no, stop" : this.#choice(question);
    const declined = luck === 1 && this.#dice(3) === 0 ? { declined: "not now" } : {};
    const by: Caller = luck === 2 ? this.#engine.caller : person;
    try {
      await answer(this.#engine.context, by, { run: this.#id, decision: question.id, answer: text, relayed: luck === 2, ...declined });
      if (luck === 2) this.#complaints.push(`An agent answered ${question.id}.`);
      if ("declined" in declined) return;
      this.#answers += 1;
      this.#given.set(question.id, text);
      if (text.startsWith("changes-requested:")) this.#wanted += 1;
    } catch (error) {
      this.#refused += 1;
      if (luck > 2) this.#complaints.push(`A good answer to ${question.id} was refused: ${String(error)}`);
    }
  }

  #choice({ id, question, options, pattern }: Decision): string {
    if (id === "UD-APPROVE-DESIGN") return this.#dice(5) === 0 ? "changes-requested: name the architecture better" : "approved";
    if (id === "UD-REVIEW-STRATEGY") return this.#dice(2) === 0 ? "per-batch" : "single-final";
    if (options !== undefined) return options[this.#dice(options.length)]?.value ?? "";
    if (question.includes("Nothing can continue") || question.includes("cannot end yet")) return "retry";
    if (question.includes("leads nowhere")) return ["other-approach", "accept", "guidance: think"][this.#dice(3)] ?? "accept";
    return pattern === undefined ? "yes" : "go on as you think best";
  }

  /** What must hold wherever the walk has come to. */
  async #judge(ended: string): Promise<void> {
    const { context } = this.#engine;
    const { state } = await context.runs.open(this.#id);
    const memory = (state.scopes["run"]?.raw["machine"] ?? {}) as unknown as Remembered;
    for (const [key, counts] of Object.entries(memory.retry_counts ?? {}))
      for (const [loop, count] of Object.entries(counts))
        if (count > 3) this.#complaints.push(`${loop} of ${key} was tried ${count} times.`);
    const known = new Map((memory.decisions ?? []).map((record) => [record.decision_id, record]));
    for (const [id, text] of this.#given) {
      const record = known.get(id);
      const asked = record?.status === "pending" || /^UD-[A-Z]/.test(id);
      if (record === undefined || (record.status === "answered" && record.answer !== text && !asked))
        this.#complaints.push(`The answer to ${id} was lost: ${JSON.stringify(record ?? null)}, not ${text}.`);
    }
    if (ended === "completed") await this.#judgeDone(memory, textOf(state.scopes["run"]?.raw["mode"] ?? ""));
    const { problems } = await replayed(context, this.#id);
    this.#complaints.push(...problems);
  }

  async #judgeDone(memory: Remembered, mode: string): Promise<void> {
    const rows = await this.#engine.context.store.selectItems(this.#id, { list: "tasks", query: {}, limit: 100 });
    const open = rows.filter(({ status, label }) => status !== "skipped" && label !== "completed");
    const missing = [...open.map(({ id, label }) => `${id} is ${label ?? "?"}`), ...missingForDone(memory, mode)];
    this.#complaints.push(...missing.map((what) => `DONE, but ${what}.`));
    const session = await this.#session();
    const status = JSON.parse(await readFile(join(this.#place.folder, ".agents-work", session, "status.json"), "utf8")) as JsonObject;
    if (status["current_state"] !== "DONE")
      this.#complaints.push(`The run is done, but status.json says ${textOf(status["current_state"] ?? "")}.`);
  }

  async #session(): Promise<string> {
    const { state } = await this.#engine.context.runs.open(this.#id);
    return textOf(state.scopes["run"]?.raw["session"] ?? "");
  }
}

const wholeTeam = ["SpecAgent", "Architect", "Planner", "Coder", "Reviewer", "QA", "Security", "Integrator", "Docs"];

/** What of the definition of done does not hold by the run's own memory. */
function missingForDone({ decisions = [], roles = {}, passed = {}, results = {}, waived = [] }: Remembered, mode: string): string[] {
  const lean = mode === "lean";
  const needed = lean ? ["Coder", "Reviewer"] : wholeTeam;
  const gates = lean ? [] : ["UD-APPROVE-DESIGN", "UD-REVIEW-STRATEGY"];
  return [
    ...decisions.filter(({ status }) => status === "pending").map(({ decision_id }) => `${decision_id} is pending`),
    ...needed.filter((role) => (roles[role] ?? 0) === 0).map((role) => `${role} never worked`),
    ...gates.filter((gate) => passed[gate] === undefined).map((gate) => `${gate} was not passed`),
    ...Object.entries(results).flatMap(([command, { ok }]) => (ok || waived.length > 0 ? [] : [`${command} fails`])),
  ];
}

interface Remembered {
  readonly retry_counts?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly decisions?: readonly { readonly decision_id: string; readonly status: string; readonly answer: string | null }[];
  readonly roles?: Readonly<Record<string, number>>;
  readonly passed?: Readonly<Record<string, unknown>>;
  readonly results?: Readonly<Record<string, { readonly ok: boolean }>>;
  readonly waived?: readonly string[];
}

/** The journal alone gives the state that is in use. */
async function replayed(context: EngineContext, id: string): Promise<{ readonly problems: readonly string[] }> {
  const handle = await context.runs.open(id);
  const rebuilt = await context.runs.rebuild(id);
  const same = rebuilt.position !== handle.head || JSON.stringify(rebuilt.state) === JSON.stringify(handle.state);
  return { problems: same ? [] : ["The journal gives another state than the one in use."] };
}
