import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decisionFaults, gateAnswer, mintDecisionId, passesGate, type DecisionRecord } from "./decisions.ts";
import { repairLoops, sessionStates } from "./session-vocabulary.ts";
import { isCompleteStatus, readStatus, writeStatus, type CompleteStatus } from "./status-json.ts";

const asked = "2026-03-02T10:15:00.000Z";
const record = (fields: Partial<DecisionRecord> = {}): DecisionRecord => ({
  decision_id: "UD-1",
  question: "Which database?",
  status: "pending",
  answer: null,
  asked_at: asked,
  resolved_at: null,
  resolution_reason: null,
  state_context: "DESIGN",
  kept: {},
  ...fields,
});
const status = (fields: Partial<CompleteStatus> = {}): CompleteStatus => ({
  current_state: "DESIGN",
  session: "2026-03-02_fix-login",
  assumptions: [],
  known_issues: [],
  user_decisions: [],
  gate_tracking: null,
  runtime_flags: null,
  retry_counts: {},
  last_ci_result: "unknown",
  last_update: asked,
  blocker: null,
  notes: [],
  kept: {},
  ...fields,
});
const raw = (fields: object): string =>
  JSON.stringify({
    current_state: "PLAN",
    session: "s",
    assumptions: [],
    known_issues: [],
    user_decisions: [],
    retry_counts: {},
    last_ci_result: "green",
    last_update: asked,
    ...fields,
  });
const codes = (text: string): string[] => readStatus(text).problems.map(({ code }) => code);

describe("the written form", () => {
  test("has its keys in one order, two spaces, a line break at the end, and the keys of others last", () => {
    const text = writeStatus(
      status({
        user_decisions: [
          record({
            decision_id: "UD-APPROVE-DESIGN",
            status: "answered",
            answer: "approved",
            resolved_at: asked,
            state_context: "APPROVE_DESIGN",
          }),
        ],
        gate_tracking: { correction_status: "queued", last_correction_dispatch: { agent: null, task_id: null, at: null }, kept: {} },
        runtime_flags: { copilot_instructions_exists: true, copilot_checked_at: asked, kept: {} },
        retry_counts: { "T-001": { FIX_BUILD: 0, FIX_REVIEW: 2, FIX_TESTS: 0, FIX_SECURITY: 0 } },
        kept: { summary: "x", session: "not this one" },
      }),
    );
    expect(text).toBe(`{
  "current_state": "DESIGN",
  "session": "2026-03-02_fix-login",
  "assumptions": [],
  "known_issues": [],
  "user_decisions": [
    {
      "decision_id": "UD-APPROVE-DESIGN",
      "question": "Which database?",
      "status": "answered",
      "answer": "approved",
      "asked_at": "2026-03-02T10:15:00.000Z",
      "resolved_at": "2026-03-02T10:15:00.000Z",
      "resolution_reason": null,
      "state_context": "APPROVE_DESIGN"
    }
  ],
  "gate_tracking": {
    "APPROVE_DESIGN": {
      "correction_status": "queued",
      "last_correction_dispatch": {
        "agent": null,
        "task_id": null,
        "at": null
      }
    }
  },
  "runtime_flags": {
    "copilot_instructions_exists": true,
    "copilot_checked_at": "2026-03-02T10:15:00.000Z"
  },
  "retry_counts": {
    "T-001": {
      "FIX_REVIEW": 2,
      "FIX_TESTS": 0,
      "FIX_SECURITY": 0,
      "FIX_BUILD": 0
    }
  },
  "last_ci_result": "unknown",
  "last_update": "2026-03-02T10:15:00.000Z",
  "summary": "x"
}
`);
    expect(codes(text)).toEqual(["MACHINE_FOREIGN_KEY"]);
  });

  test("is read as it was written, whatever the texts hold", () => {
    const known = new Set(Object.keys(JSON.parse(writeStatus(status())) as object));
    const others = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
      .map((map) =>
        Object.fromEntries(
          Object.entries(JSON.parse(JSON.stringify(map).replaceAll("-0", "0")) as Record<string, never>).filter(
            ([key]) =>
              !known.has(key) &&
              !["__proto__", "constructor", "prototype", "gate_tracking", "runtime_flags", "blocker", "historic_decisions"].includes(key),
          ),
        ),
      )
      .filter((map) => !/"(?:__proto__|constructor|prototype)"/.test(JSON.stringify(map)));
    const time = fc
      .date({ min: new Date("2000-01-01"), max: new Date("2090-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
    const said = fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.trim() !== "");
    const shape = { question: said, asked_at: time, state_context: fc.constantFrom(...sessionStates) };
    const decision = fc.oneof(
      fc.record(shape).map((own) => record(own)),
      fc.record({ ...shape, answer: said, resolved_at: time }).map((own) => record({ ...own, status: "answered" })),
      fc.record({ ...shape, resolution_reason: said, resolved_at: time }).map((own) => record({ ...own, status: "skipped" })),
    );
    const counts = fc.record(Object.fromEntries(repairLoops.map((loop) => [loop, fc.nat()]))) as fc.Arbitrary<
      CompleteStatus["retry_counts"][string]
    >;
    const any = fc.record({
      current_state: fc.constantFrom(...sessionStates),
      session: fc.string(),
      assumptions: fc.array(fc.string({ unit: "binary" })),
      user_decisions: fc.array(decision).map((list) => list.map((each, index) => ({ ...each, decision_id: `UD-${index + 1}` }))),
      retry_counts: fc.dictionary(
        fc.string().filter((key) => !["__proto__", "constructor", "prototype"].includes(key)),
        counts,
      ),
      blocker: fc.option(fc.record({ code: said, detail: fc.string(), since: fc.option(time), recovery: fc.string() })),
      notes: fc.array(fc.string()),
      kept: others,
    });
    fc.assert(
      fc.property(any, (fields) => {
        const whole = status(fields);
        const read = readStatus(writeStatus(whole));
        expect(read.status).toEqual(whole);
        expect(read.problems.filter(({ code }) => code !== "MACHINE_FOREIGN_KEY")).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("needs a state, a session and a time", () => {
    const { status: read } = readStatus("{}");
    expect(read && isCompleteStatus(read)).toBe(false);
    expect(isCompleteStatus(status())).toBe(true);
  });
});

describe("other forms", () => {
  test("of decisions: other names are understood, incomplete and plain ones are notes", () => {
    const { status: read, problems } = readStatus(
      raw({
        user_decisions: [
          {
            id: "UD-SEC-cookies",
            question: "Now?",
            status: "answered",
            answer: "fix-now",
            answered_at: asked,
            asked_at: asked,
            state_context: "IMPLEMENT_LOOP",
          },
          { id: "UD-2", question: "Why?", status: "answered", answer: "so", answered_at: asked },
          { id: "UD-APPROVE-DESIGN", decision: "approved", source: "chat" },
          "The user approved the design.",
          7,
        ],
      }),
    );
    expect(read?.user_decisions.map(({ decision_id, answer, resolved_at }) => [decision_id, answer, resolved_at])).toEqual([
      ["UD-SEC-cookies", "fix-now", asked],
    ]);
    expect(read?.notes).toHaveLength(4);
    expect(problems.map(({ code, path }) => [code, path])).toEqual([
      ["MACHINE_DECISION_ALIAS", "user_decisions[0].id"],
      ["MACHINE_DECISION_ALIAS", "user_decisions[0].answered_at"],
      ["MACHINE_ID_FORM", "user_decisions[0].decision_id"],
      ["MACHINE_MISSING_KEY", "user_decisions[0]"],
      ["MACHINE_DECISION_NOTE", "user_decisions[1]"],
      ["MACHINE_DECISION_NOTE", "user_decisions[2]"],
      ["MACHINE_DECISION_NOTE", "user_decisions[3]"],
      ["MACHINE_DECISION_NOTE", "user_decisions[4]"],
    ]);
  });

  test("a decision that contradicts itself is open again, and what stood there is kept", () => {
    const broken = { ...record({ status: "answered", answer: "  ", resolved_at: asked }), kept: undefined };
    const { status: read, problems } = readStatus(raw({ user_decisions: [broken] }));
    expect(read?.user_decisions).toEqual([record()]);
    expect(read?.notes).toMatchObject([{ status: "answered", answer: "  " }]);
    expect(problems).toMatchObject([{ code: "MACHINE_DECISION_INVALID", severity: "error" }]);
  });

  test("a gate that is recorded twice is open; another twin gets the next number", () => {
    const gate = (answer: string): object => ({
      ...record({ decision_id: "UD-APPROVE-DESIGN", status: "answered", answer, resolved_at: asked, state_context: "APPROVE_DESIGN" }),
      kept: undefined,
    });
    const plain = { ...record({ decision_id: "UD-4" }), kept: undefined };
    const { status: read } = readStatus(raw({ user_decisions: [gate("changes-requested: x"), gate("approved"), plain, plain] }));
    expect(read?.user_decisions.map(({ decision_id, status: word }) => [decision_id, word])).toEqual([
      ["UD-APPROVE-DESIGN", "pending"],
      ["UD-4", "pending"],
      ["UD-5", "pending"],
    ]);
    expect(read?.notes).toHaveLength(2);
  });

  test("of tracking, counts, words and times", () => {
    const { status: read, problems } = readStatus(
      `\uFEFF${raw({
        current_state: "implement-loop",
        gate_tracking: { APPROVE_DESIGN: "completed" },
        retry_counts: { "T-007-B": { FIX_REVIEW: 2, FIX_TESTS: 1 }, meta: 3 },
        assumptions: "one",
        last_update: "2026-03-02T12:15:00.1234567+02:00",
        qa_results: { passed: 3 },
      }).replaceAll(",", ",\r\n")}`,
    );
    expect(read).toMatchObject({
      current_state: "IMPLEMENT_LOOP",
      gate_tracking: { correction_status: "completed" },
      retry_counts: { "T-007-B": { FIX_REVIEW: 2, FIX_TESTS: 1, FIX_SECURITY: 0, FIX_BUILD: 0 } },
      assumptions: ["one"],
      last_update: "2026-03-02T10:15:00.123Z",
      kept: { qa_results: { passed: 3 } },
    });
    expect(new Set(problems.map(({ code }) => code))).toEqual(
      new Set([
        "MACHINE_BYTE_MARK",
        "MACHINE_LINE_ENDINGS",
        "MACHINE_WORD_FORM",
        "MACHINE_TRACKING_FORM",
        "MACHINE_RETRY_COUNTS",
        "MACHINE_WRONG_TYPE",
        "MACHINE_LIST_FORM",
        "MACHINE_TIME_FORM",
        "MACHINE_FOREIGN_KEY",
      ]),
    );
  });

  test("missing keys have a value; only the state must be there", () => {
    const { status: read, problems } = readStatus("{}");
    expect(read).toEqual({ ...status(), current_state: null, session: null, last_update: null });
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([{ code: "MACHINE_MISSING_KEY" }]);
  });

  test("what is no JSON object has no status, and says where", () => {
    expect(readStatus('{\n  "current_state": "DONE",\n}')).toMatchObject({ problems: [{ code: "MACHINE_SYNTAX", place: { line: 2 } }] });
    for (const text of ["", "[]", "null", "{", "[".repeat(100_000)]) expect(readStatus(text).status, text.slice(0, 5)).toBeUndefined();
  });

  test("nothing makes it throw", () => {
    const key = fc.constantFrom(...Object.keys(status()), "id", "status", "APPROVE_DESIGN", "__proto__", "FIX_REVIEW");
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 0 }),
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(key, tie("node"), { maxKeys: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 8 }), (map) => {
        const { status: read } = readStatus(JSON.stringify(map));
        for (const each of read?.user_decisions ?? []) expect(decisionFaults(each)).toEqual([]);
      }),
      { numRuns: 200 },
    );
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readStatus(text)));
  });
});

describe("a decision is valid", () => {
  test.each<[string, Partial<DecisionRecord>, number]>([
    ["pending", {}, 0],
    ["pending with an answer, a time and a reason", { answer: "x", resolved_at: asked, resolution_reason: "y" }, 3],
    ["answered", { status: "answered", answer: "x", resolved_at: asked }, 0],
    ["answered without anything", { status: "answered" }, 2],
    ["cancelled with a reason", { status: "cancelled", resolved_at: asked, resolution_reason: "declined" }, 0],
    ["skipped without a reason", { status: "skipped", resolved_at: asked, answer: "x" }, 1],
    ["cancelled without a time", { status: "cancelled", resolution_reason: "declined" }, 1],
    ["without a question", { question: " " }, 1],
    ["with a time that is none", { asked_at: "soon" }, 1],
  ])("%s", (_name, fields, count) => {
    const faults = decisionFaults(record(fields));
    expect(faults).toHaveLength(count);
    for (const fault of faults) expect(fault).toMatch(/^[A-Z`].*\.$/);
  });
});

test("numbers of decisions go on after the highest", () => {
  expect(mintDecisionId([])).toBe("UD-1");
  expect(mintDecisionId(["UD-2", "UD-10", "UD-APPROVE-DESIGN", "UD-SEC-99", "UD-7x"])).toBe("UD-11");
});

describe("gate answers", () => {
  test.each(["approved", "approved.", "approved: looks good", "approved, go ahead"])("%j passes", (answer) =>
    expect(gateAnswer("UD-APPROVE-DESIGN", answer)).toBe("pass"),
  );
  test.each([
    "approved? no, stop",
    "not approved",
    "approved, but rename the table",
    "approved if the tests pass",
    "approvedly",
    "approved-ish",
    "looks good",
    "changes-requested:",
    "",
    null,
  ])("%j has to be asked again", (answer) => expect(gateAnswer("UD-APPROVE-DESIGN", answer)).toBe("invalid"));
  test("changes are valid and do not pass", () => expect(gateAnswer("UD-APPROVE-DESIGN", "changes-requested: smaller")).toBe("changes"));
  test("strategies are two exact words in a record", () => {
    expect(gateAnswer("UD-REVIEW-STRATEGY", "per-batch")).toBe("pass");
    expect(gateAnswer("UD-REVIEW-STRATEGY", "Per batch")).toBe("invalid");
    expect(gateAnswer("UD-1", "approved")).toBe("invalid");
  });
  test("only a valid, answered record of its own state passes", () => {
    const gate = record({
      decision_id: "UD-APPROVE-DESIGN",
      status: "answered",
      answer: "approved",
      resolved_at: asked,
      state_context: "APPROVE_DESIGN",
    });
    expect(passesGate(gate)).toBe(true);
    for (const other of [{ state_context: "PLAN" as const }, { status: "pending" as const }, { resolved_at: null }, { answer: "no" }])
      expect(passesGate({ ...gate, ...other })).toBe(false);
    expect(passesGate(undefined)).toBe(false);
  });
});
