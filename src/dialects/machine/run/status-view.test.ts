import { expect, test } from "vitest";
import type { DecisionRecord, SessionTask } from "../definition/index.ts";
import { emptyMemory, type MachineMemory } from "./machine-memory.ts";
import type { MachineRun } from "./machine-run.ts";
import { planOf, shownState, statusOf, withRecord } from "./status-view.ts";

const decision = (decision_id: string, status: DecisionRecord["status"], state_context = "DESIGN"): DecisionRecord =>
  ({ decision_id, status, state_context }) as DecisionRecord;
const memory = (more: Partial<MachineMemory>): MachineMemory => ({ ...emptyMemory, ...more });
const blocker = { code: "C", detail: "d", since: "s", recovery: "r" };

test("the state that is shown is that of what a person has to do, if there is something", () => {
  expect(shownState(memory({}), "PLAN")).toBe("PLAN");
  expect(shownState(memory({ decisions: [decision("UD-1", "answered")] }), "PLAN")).toBe("PLAN");
  expect(shownState(memory({ decisions: [decision("UD-1", "pending"), decision("UD-2", "answered")] }), "PLAN")).toBe("ASK_USER");
  expect(shownState(memory({ decisions: [decision("UD-APPROVE", "pending", "APPROVE_DESIGN")] }), "PLAN")).toBe("APPROVE_DESIGN");
  expect(shownState(memory({ blocker, decisions: [decision("UD-1", "pending")] }), "PLAN")).toBe("BLOCKED");
});

const status = (more: Partial<MachineMemory>, states: object = { PLAN: {} }) =>
  statusOf({
    run: { session: "s1", definition: { name: "own", states } } as unknown as MachineRun,
    memory: memory(more),
    state: "PLAN",
    at: "now",
  });

test("a status tells of a correction who was sent, for the whole session", () => {
  const tracking = { gate: "g", correction_status: "queued" as const, agent: "Architect", at: "then" };
  expect(status({}).gate_tracking).toBeNull();
  expect(status({ tracking }).gate_tracking).toEqual({
    correction_status: "queued",
    last_correction_dispatch: { agent: "Architect", task_id: "meta", at: "then" },
    kept: {},
  });
  expect(status({ tracking: { ...tracking, agent: null } }).gate_tracking?.last_correction_dispatch).toMatchObject({
    agent: null,
    task_id: null,
  });
});

test("a status keeps keys of others, flags only when they are known, and names a machine with states of its own", () => {
  expect(status({ kept: { x: 1 } })).toMatchObject({
    current_state: "PLAN",
    session: "s1",
    runtime_flags: null,
    last_update: "now",
    kept: { x: 1 },
  });
  expect(status({}).kept).toEqual({});
  const flags = { copilot_instructions_exists: true, copilot_checked_at: null };
  expect(status({ flags }).runtime_flags).toEqual({ ...flags, kept: {} });
  expect(status({}, { PLAN: {}, ODD: {} }).kept).toEqual({ machine: "own" });
  expect(status({}, { ODD: { shownAs: "PLAN" } }).kept).toEqual({});
});

test("a plan has the statuses of its rows and leaves out what was cut", () => {
  const row = (id: string, label: string, of: string) => ({ task: { id, status: "not-started" } as SessionTask, label, status: of });
  const rows = [row("T1", "completed", "completed"), row("T2", "not-started", "skipped"), row("T3", "in-progress", "pending")];
  expect(planOf(memory({}), rows)).toEqual({
    project: { name: "", definition_of_done: [], kept: {} },
    tasks: [
      { id: "T1", status: "completed" },
      { id: "T3", status: "in-progress" },
    ],
    kept: {},
  });
  expect(planOf(memory({ plan: { project: { name: "p" }, kept: { x: 1 } } }), [])).toEqual({
    project: { name: "p" },
    tasks: [],
    kept: { x: 1 },
  });
});

test("a record of a decision is replaced in its place, or added at the end", () => {
  const records = [decision("a", "pending"), decision("b", "pending")];
  expect(withRecord(records, decision("a", "answered"))).toEqual([decision("a", "answered"), decision("b", "pending")]);
  expect(withRecord(records, decision("c", "pending")).map(({ decision_id: id }) => id)).toEqual(["a", "b", "c"]);
});
