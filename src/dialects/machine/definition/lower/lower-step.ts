import { defined, own, textOf, type Json } from "../../../../base/index.ts";
import type { Block, BlockId, DoBlock, Expr } from "../../../../program/index.ts";
import { condition, engineBlock, taskBlocks, value, type TaskSpec } from "../../../../source/index.ts";
import {
  everyState,
  type GateDefinition,
  type MachineDefinition,
  type RepairDefinition,
  type StepDefinition,
  type TaskDefinition,
} from "../machine-definition.ts";

/** Worklist of a machine's tasks. */
export const machineLists = { tasks: "tasks" } as const;

export interface Builder {
  readonly definition: MachineDefinition;
  readonly put: (block: Block) => BlockId;
  /** Shown by status files while it is current. */
  readonly shown: string;
  /** Name of the state around it, before its own; empty for the outermost machine. */
  readonly prefix: string;
  /** States of the machines around it, which can be left to. */
  readonly outer: ReadonlySet<string>;
  /** Answers of a role that the state's own outcomes or steps deal with; others halt the run. */
  readonly handles: readonly string[];
  /** Whether there is a current task. */
  readonly tasks: boolean;
}

/** Effects of a machine say themselves what they write; one that fails for a reason of the machine's world is tried again. */
export function engine(id: BlockId, what: string, args: Readonly<Record<string, Expr>>, as?: string): DoBlock {
  const retry = { times: 2, delayMs: 200, factor: 4, capMs: 1000 };
  return engineBlock(id, what, args, { rescue: { retry, then: "block" }, ...(as === undefined ? {} : { as }) });
}

/** How often a question or a dispatch may come round again in one visit of its step. */
const mostRounds = 1000;
/** Why a run halts at a task; roles have reasons of their own. */
export const taskFailed = "task_failed";
/** A failed dispatch is repeated this often. */
const repeats = 2;

export function lowerStep(builder: Builder, id: BlockId, step: StepDefinition): BlockId {
  const { put } = builder;
  const block = lowerBare(builder, id, step);
  return step.when === undefined ? block : put({ id: `${id}.if`, kind: "choose", branches: [{ when: condition(step.when), then: block }] });
}

function lowerBare(builder: Builder, id: BlockId, step: StepDefinition): BlockId {
  const { put, shown } = builder;
  const task = value(builder.tasks ? "{{ task }}" : null);
  switch (step.step) {
    case "dispatch":
      return lowerDispatch(builder, id, {
        role: value(step.role),
        leaves: value([...step.leaves]),
        goal: value(step.goal ?? null),
        task: step.meta ? value(null) : task,
        handles: value([...builder.handles]),
      });
    case "task":
      return lowerTask(builder, id, step.task);
    case "gate":
      return lowerGate(builder, id, step.gate);
    case "ask":
      return lowerAsk(builder, id, { about: value({ kind: "ask", ask: step.ask as unknown as Json }), task });
    case "checks":
      return lowerPrepared(builder, id, { of: value(step.of), task, role: value(null) }, [
        put(engine(`${id}.run`, "machine_checks", { of: value(step.of), task })),
      ]);
    case "take_tasks":
      return put(engine(id, "machine_take", { from: value(step.from) }));
    case "promote":
      return put(engine(id, "machine_promote", { of: value(step.of), to: value(step.to), task }));
    case "workflow":
      return put({
        id,
        kind: "call",
        part: step.workflow,
        inputs: Object.fromEntries(Object.entries(step.inputs).map(([name, of]) => [name, value(of)])),
        as: id,
      });
    case "report":
      return put(engine(id, "machine_report", { state: value(shown) }));
    case "finish":
      return lowerFinish(builder, id);
  }
}

/**
 * The engine checks and gathers; what it must ask first is asked, and it looks again. Then `work` is done, and left when it
 * breaks the loop; a round that was not broken is prepared again.
 */
function lowerPrepared(builder: Builder, id: BlockId, args: Readonly<Record<string, Expr>>, work: readonly BlockId[]): BlockId {
  const { put } = builder;
  const prepare = put(engine(`${id}.prepare`, "machine_prepare", args, "prepared"));
  const asked = lowerAsk(builder, `${id}.first`, { about: value("{{ prepared.about }}"), task: args["task"] ?? value(null) });
  const leave = put({ id: `${id}.through`, kind: "leave", how: "break" });
  const go = put({ id: `${id}.go`, kind: "seq", blocks: [...work, leave] });
  const skip = put({ id: `${id}.skip`, kind: "leave", how: "break" });
  const judge = put({
    id: `${id}.judge`,
    kind: "choose",
    branches: [
      { when: condition("prepared.kind === 'ask'"), then: asked },
      { when: condition("prepared.kind === 'skip'"), then: skip },
    ],
    otherwise: go,
  });
  return rounds(builder, id, `${id}.round`, [prepare, judge]);
}

/** Blocks that are done again until one of them leaves. */
function rounds({ put }: Builder, id: BlockId, round: BlockId, blocks: readonly BlockId[]): BlockId {
  return put({ id, kind: "repeat", max: mostRounds, onLimit: "fail", body: put({ id: round, kind: "seq", blocks }) });
}

/** A role is given its input and answers. What it cannot do halts the run until a person has decided; then it is dispatched again. */
function lowerDispatch(builder: Builder, id: BlockId, args: Readonly<Record<string, Expr>>): BlockId {
  const { put } = builder;
  const halt = lowerAsk(builder, `${id}.failed`, {
    about: value({ kind: "halt", code: "subagent_failure", detail: "{{ error.message }}" }),
    task: args["task"] ?? value(null),
  });
  const bound = boundTo(builder.definition, textOf(args["role"]?.of ?? ""));
  const act = put({
    id: `${id}.act`,
    kind: "do",
    who: "agent",
    what: "role",
    args: { dispatch: value("{{ dispatch }}"), ...bound },
    writes: [{ path: { as: "path", of: "raw.output" }, op: "set" }],
    name: { as: "text", of: "{{ dispatch.step }}" },
    whenLost: "retry",
    rescue: { retry: { times: repeats, delayMs: 0, factor: 1, capMs: 0 }, then: "body", body: halt, after: "continue" },
  });
  const stopped = lowerAsk(builder, `${id}.halt`, {
    about: value({ kind: "{{ output.ask }}", code: "role_failed", detail: "{{ output.summary }}", questions: "{{ output.questions }}" }),
    task: args["task"] ?? value(null),
  });
  const again = put({ id: `${id}.again`, kind: "leave", how: "continue" });
  const wait = put({ id: `${id}.wait`, kind: "seq", blocks: [stopped, again] });
  const retry = put({ id: `${id}.retry`, kind: "leave", how: "continue" });
  const branches = [
    { when: condition("output === null"), then: retry },
    { when: condition("output.route === 'halt'"), then: wait },
  ];
  const judge = put({ id: `${id}.result`, kind: "choose", branches });
  return lowerPrepared(builder, id, args, [act, judge]);
}

/** Who plays a role, where the definition says so: a person allows that with the rest of it. */
export function boundTo({ roles }: MachineDefinition, name: string): Readonly<Record<string, Expr>> {
  const { agent, model, permission } = own(roles, name) ?? {};
  const binding = defined({ agent, model, permission });
  return Object.keys(binding).length === 0 ? {} : { bound: value({ role: name, ...binding }) };
}

/**
 * A task is given to an agent once nothing has to be asked first, like a role's input. When its tries are used up the run halts until a
 * person has decided; then it begins again.
 */
function lowerTask(builder: Builder, id: BlockId, { name, spec, retries, into }: TaskDefinition): BlockId {
  const { put } = builder;
  const task = value(builder.tasks ? "{{ task }}" : null);
  const about = value({ kind: "halt", code: taskFailed, detail: "{{ error.message }}" });
  const body = lowerAsk(builder, `${id}.failed`, { about, task });
  const done = engine(`${id}.done`, "machine_task_done", { into: value(into ?? null), result: value("{{ did }}") });
  const leave = put({ id: `${id}.over`, kind: "leave", how: "break" });
  const tried = put({
    id: `${id}.try`,
    kind: "seq",
    blocks: [...taskBlocks(withRole(builder.definition, spec), { id: `${id}.act`, name: value(name), as: "did" }, put), put(done), leave],
    rescue: { retry: { times: retries, delayMs: 0, factor: 1, capMs: 0 }, then: "body", body, after: "continue" },
  });
  const again = put({ id: `${id}.again`, kind: "leave", how: "continue" });
  return lowerPrepared(builder, id, { task, role: value(null), for: value("task") }, [tried, again]);
}

/** What a task does not say itself comes from its role. */
function withRole({ roles }: MachineDefinition, spec: TaskSpec): TaskSpec {
  const { agent, model, permission } = (spec.role === undefined ? undefined : own(roles, spec.role)) ?? {};
  const another = spec.agent !== undefined && spec.agent !== agent;
  return { ...defined({ agent, model: another ? undefined : model, permission }), ...spec };
}

/**
 * A question to a person: written down as pending, asked, and settled by the engine, which may move the run elsewhere. An answer that
 * no person gave does not count, and the question is asked again.
 */
function lowerAsk(builder: Builder, id: BlockId, { about, task }: { readonly about: Expr; readonly task: Expr }): BlockId {
  const { put, shown } = builder;
  const pose = put(engine(`${id}.pose`, "machine_ask", { about, task, state: value(shown) }, "posed"));
  const ask = put({
    id: `${id}.ask`,
    kind: "do",
    who: "person",
    what: "ask",
    args: {
      prompt: value("{{ posed.prompt }}"),
      decision: value("{{ posed.id }}"),
      options: value("{{ posed.options }}"),
      pattern: value("{{ posed.pattern }}"),
      pattern_message: value("{{ posed.patternMessage }}"),
      attempts: value("{{ posed.attempts }}"),
      binds: value("{{ posed.binds }}"),
    },
    writes: [],
    as: "given",
    name: { as: "text", of: "{{ posed.id }}" },
    ask: { answerBy: "person" },
    rescue: { then: "value", value: { declined: true } },
  });
  const answered = { posed: value("{{ posed }}"), given: value("{{ given }}"), task };
  const settle = put(engine(`${id}.settle`, "machine_answered", answered, "settled"));
  const { states, modes } = builder.definition;
  const moves = new Set([
    ...everyState(states).flatMap(({ steps, repair }) => [
      ...steps.flatMap((step) => (step.step === "gate" ? (step.gate.changes?.state ?? []) : [])),
      ...(repair?.cutScope === undefined ? [] : [repair.cutScope]),
    ]),
    ...Object.values(modes).flatMap(({ otherwise }) => otherwise ?? []),
  ]);
  const branches = [...moves].map((to) => ({
    when: condition(`settled.to === ${JSON.stringify(to)}`),
    then: put({ id: `${id}.to.${to}`, kind: "leave", how: "to", state: to }),
  }));
  const failed = put({ id: `${id}.stop`, kind: "leave", how: "fail", message: { as: "text", of: "{{ settled.reason }}" } });
  const stop = { when: condition("settled.stop === true"), then: failed };
  const moved = put({ id: `${id}.moved`, kind: "choose", branches: [stop, ...branches] });
  const again = put({ id: `${id}.again`, kind: "leave", how: "continue" });
  const counted = put({ id: `${id}.counted`, kind: "choose", branches: [{ when: condition("settled.forged === true"), then: again }] });
  const leave = put({ id: `${id}.answered`, kind: "leave", how: "break" });
  return rounds(builder, id, `${id}.asked`, [pose, ask, settle, counted, moved, leave]);
}

/** Asked until it passes. A request for changes is passed on to the role it concerns, and the same question is asked again. */
function lowerGate(builder: Builder, id: BlockId, gate: GateDefinition): BlockId {
  const { put } = builder;
  const about = value({ kind: "gate", gate: gate.id });
  const ask = lowerAsk(builder, `${id}.gate`, { about, task: value(null) });
  const open = put({ id: `${id}.open`, kind: "choose", branches: [{ when: condition(unsettled(builder.definition, gate)), then: ask }] });
  const missing = { kind: "halt", code: "mandatory_user_decision_missing", detail: "{{ correction.goal }}" };
  const halt = lowerAsk(builder, `${id}.missing`, { about: value(missing), task: value(null) });
  const leave = put({ id: `${id}.passed`, kind: "leave", how: "break" });
  const roles = gate.changes?.route.map(({ role }) => role) ?? [];
  const branches = roles.map((role) => ({
    when: condition(`settled_gate === ${JSON.stringify(`correct:${role}`)}`),
    then: lowerDispatch(builder, `${id}.correct.${role}`, {
      role: value(role),
      leaves: value("{{ correction.leaves }}"),
      goal: value("{{ correction.goal }}"),
      task: value(null),
      correction: value(gate.id),
    }),
  }));
  const passed = { when: condition("settled_gate === 'pass'"), then: leave };
  const unanswered = { when: condition("settled_gate === 'missing'"), then: halt };
  const judge = put({ id: `${id}.judge`, kind: "choose", branches: [passed, unanswered, ...branches] });
  return rounds(builder, id, `${id}.round`, [open, judge]);
}

/**
 * Whether a gate still has to be asked. `settled_gate` is empty when a state is entered and may be what an earlier gate of the same state
 * came to; only a gate that follows another one is compared by its id too, so that all other machines keep the form that was allowed.
 */
function unsettled({ states }: Builder["definition"], { id }: GateDefinition): string {
  const follows = Object.values(states).some(
    ({ steps }) => steps.flatMap((step) => (step.step === "gate" ? step.gate.id : [])).indexOf(id) > 0,
  );
  return follows ? `settled_gate === '' || machine.gate !== ${JSON.stringify(id)}` : "settled_gate === ''";
}

/** Counted, compared with the last round, and asked about when it leads nowhere; then the role repairs, and the state before looks again. */
export function lowerRepair(builder: Builder, id: BlockId, repair: RepairDefinition): BlockId {
  const { put } = builder;
  const task = value(builder.tasks ? "{{ task }}" : null);
  const loop = id.split(".").at(-1) ?? id;
  const count = put(engine(`${id}.count`, "machine_repair", { loop: value(loop), tries: value(repair.tries), task }));
  const about = { kind: "repair", loop, cutScope: repair.cutScope ?? null, evidence: "{{ repair.evidence }}" };
  const ask = lowerAsk(builder, `${id}.spent`, { about: value(about), task });
  const spent = put({ id: `${id}.budget`, kind: "choose", branches: [{ when: condition("repair.go !== true"), then: ask }] });
  const request = { role: value(repair.role), leaves: value([]), goal: value(repair.goal), task, repair: value(loop) };
  const work = lowerDispatch(builder, `${id}.mend`, request);
  const accepted = put({ id: `${id}.work`, kind: "choose", branches: [{ when: condition("repair.accepted !== true"), then: work }] });
  return put({ id: `${id}.repair`, kind: "seq", blocks: [count, spent, accepted] });
}

function lowerFinish(builder: Builder, id: BlockId): BlockId {
  const { put } = builder;
  const look = put(engine(`${id}.look`, "machine_finish", {}, "found"));
  const ask = lowerAsk(builder, `${id}.unmet`, { about: value("{{ found.about }}"), task: value(null) });
  const leave = put({ id: `${id}.met`, kind: "leave", how: "break" });
  const branches = [{ when: condition("found.kind === 'ask'"), then: ask }];
  const judge = put({ id: `${id}.judge`, kind: "choose", branches, otherwise: leave });
  return rounds(builder, id, `${id}.round`, [look, judge]);
}
