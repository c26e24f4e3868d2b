import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../../base/index.ts";
import { readActivityLog, readWorkflowState } from "./read-views.ts";
import { writeActivityLog, writeWorkflowState, type ActivityEntry, type ReadLog, type ReadState, type WorkflowState } from "./bot-views.ts";
import { readTime } from "../../../../source/index.ts";

const asText = (value: Json | string): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
const state = (value: Json | string, zone = 60): ReadState => readWorkflowState(asText(value), { zone });
const log = (value: Json | string, zone = 60): ReadLog => readActivityLog(asText(value), { zone });
const codes = ({ problems }: ReadState | ReadLog): string[] => problems.map(({ code }) => code);

describe("times", () => {
  test.each([
    ["2026-03-02T10:15:00.000Z", "2026-03-02T10:15:00.000Z"],
    ["2026-03-02T10:15:00Z", "2026-03-02T10:15:00.000Z"],
    ["2026-03-02T10:15:00+02:00", "2026-03-02T08:15:00.000Z"],
    ["2026-03-02T10:15:00-0330", "2026-03-02T13:45:00.000Z"],
    ["2026-03-02T10:15:00.123456", "2026-03-02T09:15:00.123Z"],
    ["2026-03-02 10:15:00", "2026-03-02T09:15:00.000Z"],
    ["2026-03-02T10:15", "2026-03-02T09:15:00.000Z"],
    ["2026-03-02", "2026-03-01T23:00:00.000Z"],
  ])("%s, an hour east of Greenwich, is %s", (text, utc) => expect(readTime(text, 60)).toBe(utc));

  test.each([
    "",
    "now",
    "2026-02-30T10:00:00Z",
    "2026-13-01",
    "2026-03-02T25:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59-14:00",
    "2026-03-02T10:15:60Z",
  ])("%j is no time", (text) => expect(readTime(text, 0)).toBeUndefined());

  test("the zone may depend on the time", () => {
    const summer = (wall: number): number => (wall > Date.UTC(2026, 2, 29, 2) ? 120 : 60);
    expect(readTime("2026-03-28T12:00:00", summer)).toBe("2026-03-28T11:00:00.000Z");
    expect(readTime("2026-03-30T12:00:00", summer)).toBe("2026-03-30T10:00:00.000Z");
    expect(readTime("2026-03-30T12:00:00", () => Number.NaN)).toBe("2026-03-30T12:00:00.000Z");
  });
});

describe("the state file", () => {
  test("is written with every field, and read as it was written", () => {
    const facts: WorkflowState = {
      bot: "story_bot",
      currentBehaviour: "shape",
      currentAction: "build_knowledge",
      actionState: "started",
      timestamp: "2026-03-02T10:15:00.000Z",
      completedActions: [{ behaviour: "shape", action: "gather_context", timestamp: "2026-03-02T09:40:00Z", kept: {} }],
      confirmations: { shape: { confirmedAt: "2026-03-02T09:00:00.000Z", confirmedBy: "human", originalBehaviour: "plan", kept: {} } },
      kept: { theirs: [1], timestamp: "never" },
    };
    expect(writeWorkflowState(facts)).toBe(`{
  "bot": "story_bot",
  "current_behavior": "shape",
  "current_action": "build_knowledge",
  "action_state": "started",
  "timestamp": "2026-03-02T10:15:00.000Z",
  "completed_actions": [
    {
      "behavior": "shape",
      "action": "gather_context",
      "action_state": "completed",
      "timestamp": "2026-03-02T09:40:00.000Z"
    }
  ],
  "out_of_order_confirmations": {
    "shape": {
      "confirmed_at": "2026-03-02T09:00:00.000Z",
      "confirmed_by": "human",
      "original_behavior": "plan"
    }
  },
  "theirs": [
    1
  ]
}
`);
  });

  test("with dotted names: the name of an action stands where its state is expected", () => {
    const {
      state: read,
      problems,
      kept,
    } = state({
      current_behavior: "story_bot.shape",
      current_action: "story_bot.shape.build_knowledge",
      timestamp: "2025-12-03T10:15:30.123456",
      completed_actions: [
        { action_state: "story_bot.shape.gather_context", timestamp: "2025-12-03T09:00:00.5" },
        { action_state: "story_bot.shape.gather_context", timestamp: "2025-12-03T09:30:00" },
        { action_state: "other_bot.1_plan.2_think", timestamp: "2025-12-03T09:31:00" },
      ],
      version: 3,
    });
    expect(problems).toEqual([]);
    expect(read).toEqual({
      bot: "story_bot",
      currentBehaviour: "shape",
      currentAction: "build_knowledge",
      actionState: "started",
      timestamp: "2025-12-03T09:15:30.123Z",
      completedActions: [
        { behaviour: "shape", action: "gather_context", timestamp: "2025-12-03T08:00:00.500Z", kept: {} },
        { behaviour: "shape", action: "gather_context", timestamp: "2025-12-03T08:30:00.000Z", kept: {} },
        { bot: "other_bot", behaviour: "plan", action: "think", timestamp: "2025-12-03T08:31:00.000Z", kept: {} },
      ],
      confirmations: {},
      kept: { version: 3 },
    });
    expect(kept).toEqual({ version: 3 });
  });

  test("with older keys, without a state: completed if the action was the last one to be completed", () => {
    const done = { current_behavior_name: "shape", current_action_name: "render", completed_actions: ["story_bot.shape.render"] };
    expect(state(done).state).toMatchObject({ currentBehaviour: "shape", currentAction: "render", actionState: "completed" });
    expect(state({ ...done, completed_actions: [...done.completed_actions, "shape.build"] }).state?.actionState).toBe("started");
    expect(state({ current_behavior: "shape" }).state).toMatchObject({ currentBehaviour: "shape", currentAction: null, actionState: null });
    expect(state({}).state).toEqual({
      currentBehaviour: null,
      currentAction: null,
      actionState: null,
      timestamp: null,
      completedActions: [],
      confirmations: {},
      kept: {},
    });
  });

  test("that contradicts itself says so, and the action counts", () => {
    const read = state({ current_behavior: "bot.shape", current_action: "bot.plan.think", action_state: "started" });
    expect(codes(read)).toEqual(["BOTS_VIEW_DISAGREES"]);
    expect(read.state?.currentBehaviour).toBe("plan");
  });

  test("with values that cannot be used keeps the others, and tells where", () => {
    const read = state(
      '{\n  "current_behavior": 7,\n  "current_action": "..",\n  "action_state": "paused",\n  "timestamp": "yesterday",\n  "completed_actions": [\n    4,\n    {"action": "b"},\n    {"behavior": "a", "action": "b", "action_state": "started"},\n    {"behavior": "a", "action": "c"}\n  ],\n  "out_of_order_confirmations": {"a": 1}\n}',
    );
    expect(read.problems.map(({ code, place }) => [code, place?.line])).toEqual([
      ["BOTS_VIEW_VALUE", 2],
      ["BOTS_VIEW_VALUE", 3],
      ["BOTS_VIEW_VALUE", 7],
      ["BOTS_VIEW_VALUE", 8],
      ["BOTS_VIEW_VALUE", 9],
      ["BOTS_VIEW_VALUE", 4],
      ["BOTS_VIEW_VALUE", 5],
      ["BOTS_VIEW_VALUE", 12],
    ]);
    expect(read.state?.completedActions).toEqual([{ behaviour: "a", action: "c", timestamp: null, kept: {} }]);
  });

  test("that is no JSON, or no map, has no state and one problem with its place", () => {
    const read = readWorkflowState('{\n  "a": 1,,\n}', { zone: 0, file: "p/behavior_action_state.json" });
    expect(read).toMatchObject({
      problems: [{ code: "BOTS_VIEW_UNREADABLE", place: { file: "p/behavior_action_state.json", line: 2, column: 10 } }],
    });
    expect(read).not.toHaveProperty("state");
    for (const text of ["", "[]", "7", "{", "\u0000", `${"[".repeat(100_000)}`, `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`]) {
      expect(codes(state(text))).toEqual(["BOTS_VIEW_UNREADABLE"]);
    }
  });
});

describe("the activity log", () => {
  test("is written as a list with every field, oldest first", () => {
    const entry: ActivityEntry = {
      timestamp: "2026-03-02T10:15:00.000Z",
      behaviour: "shape",
      action: "gather_context",
      actionState: "started",
      inputs: { parameters: { deep: true } },
      outputs: {},
      duration: null,
      kept: { action_id: "a1", behavior: "never" },
    };
    expect(JSON.parse(writeActivityLog([entry, { ...entry, bot: "b", actionState: "completed", duration: 12.5, kept: {} }]))).toEqual([
      {
        timestamp: "2026-03-02T10:15:00.000Z",
        behavior: "shape",
        action: "gather_context",
        action_state: "started",
        inputs: { parameters: { deep: true } },
        outputs: {},
        duration: null,
        action_id: "a1",
      },
      {
        timestamp: "2026-03-02T10:15:00.000Z",
        bot: "b",
        behavior: "shape",
        action: "gather_context",
        action_state: "completed",
        inputs: { parameters: { deep: true } },
        outputs: {},
        duration: 12.5,
      },
    ]);
    expect(writeActivityLog([])).toBe("[]\n");
  });

  test("of numbered entries is read in the order of the numbers; what stands beside them is kept", () => {
    const numbered = Object.fromEntries(
      [10, 9, 1].map((number) => [
        String(number),
        { action_state: `bot.shape.a${number}`, status: number === 10 ? "completed" : "started", timestamp: "2025-01-01T00:00:00" },
      ]),
    );
    const read = log({ _default: numbered, other: { "1": {} } });
    expect(read.problems).toEqual([]);
    expect(read.entries.map(({ action, actionState }) => [action, actionState])).toEqual([
      ["a1", "started"],
      ["a9", "started"],
      ["a10", "completed"],
    ]);
    expect(read.entries[0]).toEqual({
      timestamp: "2024-12-31T23:00:00.000Z",
      bot: "bot",
      behaviour: "shape",
      action: "a1",
      actionState: "started",
      inputs: {},
      outputs: {},
      duration: null,
      kept: {},
    });
    expect(read.kept).toEqual({ other: { "1": {} } });
  });

  test("of one entry per line loses only the line that was cut off", () => {
    const line = '{"behavior":"a","action":"b","action_state":"started","timestamp":"2026-01-01T00:00:00Z","duration":-1}';
    const read = log(`${line}\n\n${line}\r\n{"behavior":"a","act`);
    expect(read.entries).toHaveLength(2);
    expect(read.problems.map(({ code, place }) => [code, place?.line])).toEqual([
      ["BOTS_VIEW_UNREADABLE", 4],
      ["BOTS_VIEW_VALUE", 1],
      ["BOTS_VIEW_VALUE", 3],
    ]);
    expect(log(line).entries).toHaveLength(1);
  });

  test("with entries that cannot be used keeps the others", () => {
    const good = { behavior: "a", action: "b", action_state: "completed", inputs: "text", outputs: [1], extra: 1 };
    const read = log([4, { action: "b", action_state: "started" }, { behavior: "a", action: "b", action_state: "skipped" }, good]);
    expect(codes(read)).toEqual(["BOTS_VIEW_VALUE", "BOTS_VIEW_VALUE", "BOTS_VIEW_VALUE"]);
    expect(read.entries).toEqual([
      {
        timestamp: null,
        behaviour: "a",
        action: "b",
        actionState: "completed",
        inputs: { value: "text" },
        outputs: { value: [1] },
        duration: null,
        kept: { extra: 1 },
      },
    ]);
    expect(log(Array.from({ length: 500 }, () => 1)).problems).toHaveLength(50);
  });

  test("that is none has no entries and one problem", () => {
    for (const text of ["", "7", "[", '{"a": 1}', "x\ny"])
      expect([codes(log(text)), log(text).entries]).toEqual([["BOTS_VIEW_UNREADABLE"], []]);
    expect(log("{}")).toEqual({ entries: [], problems: [], kept: {} });
  });
});

describe("always", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/);
  const time = fc.date({ min: new Date("1001-01-01"), max: new Date("9999-12-30"), noInvalidDate: true }).map((date) => date.toISOString());
  const fields = ["bot", "current_behavior", "current_behavior_name", "current_action", "current_action_name", "action_state", "timestamp"];
  const taken = new Set([
    ...fields,
    "completed_actions",
    "started_at",
    "out_of_order_confirmations",
    "behavior",
    "action",
    "inputs",
    "outputs",
    "duration",
  ]);
  taken.add("confirmed_at").add("confirmed_by").add("original_behavior");
  /** Minus nought is written as nought. */
  const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const kept = fc
    .dictionary(fc.oneof(fc.string(), fc.constantFrom("constructor", "toString")), fc.jsonValue({ maxDepth: 2 }))
    .map((held) => plain(Object.fromEntries(Object.entries(held).filter(([key]) => !taken.has(key))) as Record<string, Json>));
  const object = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((held) => plain(held as Record<string, Json>));
  const completed = fc.record({ behaviour: name, action: name, timestamp: fc.option(time), kept });
  const states: fc.Arbitrary<WorkflowState> = fc
    .record(
      {
        bot: name,
        currentBehaviour: name,
        currentAction: name,
        actionState: fc.constantFrom("started" as const, "completed" as const),
        timestamp: fc.option(time),
        completedActions: fc.array(completed, { maxLength: 4 }),
        startedAt: time,
        confirmations: fc.dictionary(
          name,
          fc.record({ confirmedAt: fc.option(time), confirmedBy: name, originalBehaviour: fc.option(name), kept }),
          { maxKeys: 2, noNullPrototype: true },
        ),
        kept,
      },
      { requiredKeys: ["currentBehaviour", "currentAction", "actionState", "timestamp", "completedActions", "confirmations", "kept"] },
    )
    .map((each) => each as WorkflowState);
  const entries: fc.Arbitrary<ActivityEntry> = fc
    .record(
      {
        bot: name,
        timestamp: fc.option(time),
        behaviour: name,
        action: name,
        actionState: fc.constantFrom("started" as const, "completed" as const),
        inputs: object,
        outputs: object,
        duration: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }).map((seconds) => seconds + 0)),
        kept,
      },
      { requiredKeys: ["timestamp", "behaviour", "action", "actionState", "inputs", "outputs", "duration", "kept"] },
    )
    .map((each) => each as ActivityEntry);

  test("a state that is written and read is the same, without a problem, and its text is stable", () => {
    fc.assert(
      fc.property(states, fc.integer({ min: -720, max: 840 }), (facts, zone) => {
        const text = writeWorkflowState(facts);
        const read = readWorkflowState(text, { zone });
        expect(read.problems).toEqual([]);
        expect(read.state).toEqual(facts);
        expect(writeWorkflowState(read.state!)).toBe(text);
        expect(text.endsWith("}\n")).toBe(true);
      }),
    );
  });

  test("so is a log, also as numbered entries and as lines", () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 12 }), (facts) => {
        const text = writeActivityLog(facts);
        const list = JSON.parse(text) as Json[];
        expect(readActivityLog(text, { zone: 60 })).toEqual({ entries: facts, problems: [], kept: {} });
        expect(writeActivityLog(readActivityLog(text, { zone: 60 }).entries)).toBe(text);
        const numbered = { _default: Object.fromEntries(list.map((each, index) => [String(index + 1), each])) };
        expect(log(numbered).entries).toEqual(facts);
        const lines = list.map((each) => JSON.stringify(each)).join("\n");
        expect(log(lines).entries).toEqual(facts);
      }),
    );
  });

  test("a file cut off anywhere, or changed in any character, never throws and never passes silently for a whole one", () => {
    fc.assert(
      fc.property(states, fc.nat(), fc.string({ maxLength: 3 }), (facts, at, inserted) => {
        const text = writeWorkflowState(facts);
        const place = at % (text.length - 1);
        expect(codes(readWorkflowState(text.slice(0, place), { zone: 0 }))).toEqual(["BOTS_VIEW_UNREADABLE"]);
        readActivityLog(text.slice(0, place), { zone: 0 });
        const changed = readWorkflowState(text.slice(0, place) + inserted + text.slice(place), { zone: 0 });
        expect(changed.state !== undefined || changed.problems.length > 0).toBe(true);
      }),
    );
  });

  test("hostile values never throw, and what was read can be written", () => {
    const keys = fc.constantFrom(...taken, "_default", "status", "__proto__", "1");
    const value = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<Json>(null, true, -1, "", ".", "a.b.c", "started", "2026-01-01", "1_a..b"),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(keys, tie("json"), { maxKeys: 5 }),
      ),
    })).json;
    fc.assert(
      fc.property(
        fc.oneof(
          value.map((each) => JSON.stringify(each)),
          fc.string(),
        ),
        (text) => {
          const { state: read } = readWorkflowState(text, { zone: Number.NaN });
          expect(read === undefined ? undefined : readWorkflowState(writeWorkflowState(read), { zone: 0 }).state).toEqual(read);
          const { entries: found } = readActivityLog(text, { zone: () => Number.POSITIVE_INFINITY });
          expect(readActivityLog(writeActivityLog(found), { zone: 0 }).entries).toEqual(found);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
