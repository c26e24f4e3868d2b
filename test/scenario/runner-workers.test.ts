import { afterEach, expect, test } from "vitest";
import { answer, journal, retry, start, type Caller } from "../../src/engine/index.ts";
import type { Turn } from "../../src/ports/index.ts";
import { broken, openDriven, type AgentDoorClient, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;
afterEach(async () => {
  await driven.close();
  await engine.close();
});

const review = `
type: tiny-review
name: Tiny
description: Two entries for every file
version: "1.0.0"
file_patterns: ["**/*.txt"]
phases:
  - { id: inventory, name: Inventory, description: Lists the files. }
  - { id: review, name: Review, description: Every file. }
per_file_checklist:
  - { id: read, type: analysis, description: Read the file. }
  - { id: judge, type: validation, description: Judge it. }
`;

const tasksOf = (items: readonly object[]): string => `
name: make:all
description: A task for each item
steps:
  - { id: all, type: parallel_foreach, items: ${JSON.stringify(items)}, sub_agent_task: each }
  - { id: after, type: agent_task, prompt: "Finish." }
sub_agent_tasks:
  each:
    steps:
      - id: which
        type: conditional
        condition: "{{ item.asks === true }}"
        then:
          - { id: may, type: user_input, prompt: "May I do {{ item.id }}?", answer_by: person, state_update: { path: raw.may } }
      - { id: work, type: agent_task, prompt: "Make {{ item.id }}." }
`;

const fileOf = ({ prompt }: Pick<Turn, "prompt">): string => /\b[\w-]+\.txt\b/.exec(prompt)?.[0] ?? "";
const person: Caller = { holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal", leaseOwner: "p" };

/** Reports the entry that the turn is about as done. */
async function check(turn: Turn, door: AgentDoorClient): Promise<void> {
  const { data } = await door.call("workflow_next", { run_id: /wf-[\w-]+/.exec(turn.prompt)?.[0] });
  const call = data["next_call"] as { tool: string; arguments: object };
  await door.call(call.tool, { ...call.arguments, ...(call.tool === "workflow_progress" ? { status: "completed", result: "read" } : {}) });
}

/** Lets turns end only when so many are open at the same time; what each was about, and how many were open when it began. */
function together(most: number): {
  readonly meet: (what: string) => Promise<() => void>;
  readonly open: string[];
  readonly seen: number[];
  close(): void;
} {
  const open: string[] = [];
  const seen: number[] = [];
  let let_go = (): void => undefined;
  let met = new Promise<void>((done) => (let_go = done));
  let isClosed = false;
  return {
    open,
    seen,
    meet: async (what) => {
      open.push(what);
      seen.push(open.length);
      if (open.length === most) let_go();
      if (!isClosed) await met;
      return () => void open.splice(open.indexOf(what), 1);
    },
    close: () => {
      isClosed = true;
      let_go();
      met = Promise.resolve();
    },
  };
}

async function beginReview(files: readonly string[], behave: Behaviour): Promise<string> {
  engine = await openTestEngine({
    ".waymark/workflows/tiny-review.workflow.yaml": review,
    ...Object.fromEntries(files.map((name) => [name, `${name}\n`])),
  });
  await engine.allow("tiny-review");
  driven = await openDriven(engine, behave, ["scripted", broken]);
  return (await start(engine.context, engine.caller, { workflow: "tiny-review", held: false })).run;
}

async function beginTasks(items: readonly object[], behave: Behaviour, time?: DrivenTime): Promise<string> {
  engine = await openTestEngine({ ".waymark/workflows/make__all.yaml": tasksOf(items) }, {}, time);
  await engine.allow("make:all");
  driven = await openDriven(engine, behave);
  return (await start(engine.context, engine.caller, { workflow: "make:all", held: false })).run;
}

const holdersIn = async (run: string): Promise<readonly (readonly [string, string])[]> =>
  (await journal(engine.context, run, 0, 1000)).flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "claimed" ? [[event.strand, event.holder.session] as const] : [])),
  );

test("four workers are at work at the same time, never two on one file, and each entry has a conversation of its own", async () => {
  const files = Array.from({ length: 9 }, (_, at) => `f${at}.txt`);
  const gate = together(4);
  const twice: string[] = [];
  const run = await beginReview(files, async (turn, door) => {
    const file = fileOf(turn);
    if (gate.open.includes(file)) twice.push(file);
    const leave = await gate.meet(file);
    await check(turn, door);
    leave();
    return {};
  });
  expect(await driven.drive({ run, workers: 4 })).toEqual({ run, kind: "completed" });
  expect(twice).toEqual([]);
  expect(Math.max(...gate.seen)).toBe(4);
  expect(driven.turns).toHaveLength(18);
  expect(driven.turns.every(({ session }) => session === undefined)).toBe(true);
  const claims = (await holdersIn(run)).filter(([strand]) => strand !== "main");
  expect(new Set(claims.map(([strand]) => strand)).size).toBe(claims.length);
  expect(new Set(claims.map(([, session]) => session)).size).toBe(4);
});

test("members of a parallel entry are driven at the same time, and a retry does the failed one again alone", async () => {
  const gate = together(2);
  engine = await openTestEngine(
    chainFiles("  - step: a\n  - parallel: [{ step: b }, { step: c }]\n  - step: d", { a: "Do a", b: "Do b", c: "Do c", d: "Do d" }),
  );
  await engine.allow("chain");
  let isBroken = true;
  driven = await openDriven(engine, async ({ prompt }) => {
    if (/[bc]$/.test(prompt)) (await gate.meet(prompt))();
    if (prompt === "Do b" && isBroken) return { stop: "max_tokens" };
    return { text: "done" };
  });
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, inputs: {} });
  expect(await driven.drive({ run, workers: 2 })).toMatchObject({ kind: "failed" });
  expect(Math.max(...gate.seen)).toBe(2);
  gate.close();
  isBroken = false;
  await retry(engine.context, person, { run, looks: true });
  expect(await driven.drive({ run, workers: 2 })).toEqual({ run, kind: "completed" });
  expect(driven.turns.map(({ prompt }) => prompt).toSorted()).toEqual(["Do a", "Do b", "Do b", "Do c", "Do d"]);
  expect(driven.turns.every(({ session }) => session === undefined)).toBe(true);
});

test("tasks of sub-agents are shared out, and one worker does what follows them", async () => {
  const gate = together(3);
  const run = await beginTasks(
    [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id: `t${id}` })),
    async ({ prompt }) => {
      if (prompt !== "Finish.") (await gate.meet(prompt))();
      return { text: "made" };
    },
  );
  expect(await driven.drive({ run, workers: 3 })).toEqual({ run, kind: "completed" });
  expect(Math.max(...gate.seen)).toBe(3);
  expect(driven.turns.map(({ prompt }) => prompt).toSorted()).toEqual(["Finish.", ...[1, 2, 3, 4, 5, 6, 7].map((id) => `Make t${id}.`)]);
});

test("more workers than work: those without any wait, write nothing, and the run completes", async () => {
  const records: number[] = [];
  for (const workers of [1, 16]) {
    const run = await beginTasks([{ id: "a" }, { id: "b" }], async () => ({ text: "made" }));
    expect(await driven.drive({ run, workers })).toEqual({ run, kind: "completed" });
    records.push((await journal(engine.context, run, 0, 1000)).length);
    if (workers === 1) {
      await driven.close();
      await engine.close();
    }
  }
  expect(records[1]! - records[0]!).toBeLessThanOrEqual(2);
});

test("a question holds up its own task alone: the run waits when no worker has anything else to do, and continues where it was", async () => {
  const run = await beginTasks([{ id: "a", asks: true }, { id: "b" }, { id: "c", asks: true }, { id: "d" }], async () => ({
    text: "made",
  }));
  const end = await driven.drive({ run, workers: 2 });
  expect(end).toMatchObject({ kind: "waits", questions: [{ question: "May I do a?" }, { question: "May I do c?" }] });
  expect(driven.turns.map(({ prompt }) => prompt).toSorted()).toEqual(["Make b.", "Make d."]);
  const asked: string[] = [];
  const ask = async (_run: string, { id, question }: { readonly id: string; readonly question: string }): Promise<boolean> => {
    asked.push(question);
    await answer(engine.context, person, { run, decision: id, answer: "yes", relayed: false });
    return true;
  };
  expect(await driven.drive({ run, workers: 2, ask })).toEqual({ run, kind: "completed" });
  expect(asked.toSorted()).toEqual(["May I do a?", "May I do c?"]);
  expect(
    driven.turns
      .map(({ prompt }) => prompt)
      .slice(2)
      .toSorted(),
  ).toEqual(["Finish.", "Make a.", "Make c."]);
});

test("files whose agents ask a person do not use up the workers: all others are done first, and each comes again with its answer", async () => {
  const files = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}.txt`);
  const asking = new Set(["a.txt", "b.txt", "c.txt"]);
  const answered = new Set<string>();
  const run = await beginReview(files, async (turn, door) => {
    const file = fileOf(turn);
    if (!asking.has(file) || answered.has(file)) await check(turn, door);
    else {
      const given = await door.call("workflow_ask", {
        run_id: /wf-[\w-]+/.exec(turn.prompt)?.[0],
        action_id: /"action_id":"([^"]+)"/.exec(turn.prompt)?.[1],
        question: `What of ${file}?`,
      });
      if (given.isError) throw new Error(given.text);
    }
    return {};
  });
  const end = await driven.drive({ run, workers: 2 });
  expect(end.kind === "waits" ? end.questions.map(({ question }) => question).toSorted() : end).toEqual(
    ["a", "b", "c"].map((name) => `What of ${name}.txt?`),
  );
  expect(new Set(driven.turns.map(fileOf))).toEqual(new Set(files));
  for (const name of asking) answered.add(name);
  const ask = async (_run: string, { id }: { readonly id: string }): Promise<boolean> => {
    await answer(engine.context, person, { run, decision: id, answer: "Keep it.", relayed: false });
    return true;
  };
  expect(await driven.drive({ run, workers: 2, ask })).toEqual({ run, kind: "completed" });
});

test("an interruption lets all open turns come to their ends, and no other begins", async () => {
  const finish = new AbortController();
  const gate = together(3);
  const run = await beginTasks(
    [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id: `t${id}` })),
    async ({ prompt }) => {
      await gate.meet(prompt);
      finish.abort();
      return { text: "made" };
    },
  );
  expect(await driven.drive({ run, workers: 3, finish: finish.signal })).toMatchObject({ kind: "parked", why: "It was interrupted." });
  expect(driven.turns).toHaveLength(3);
  gate.close();
  expect(await driven.drive({ run, workers: 3 })).toEqual({ run, kind: "completed" });
  expect(driven.turns).toHaveLength(8);
});

test("a second interruption cancels all open turns", async () => {
  const cancel = new AbortController();
  const gate = together(3);
  const cancelled: string[] = [];
  const run = await beginTasks(
    [1, 2, 3, 4].map((id) => ({ id: `t${id}` })),
    async ({ prompt, signal }) => {
      const stopped = new Promise<void>((done) => signal?.addEventListener("abort", () => done()));
      await gate.meet(prompt);
      cancel.abort();
      await stopped;
      cancelled.push(prompt);
      return { stop: "cancelled", text: "" };
    },
  );
  const end = await driven.drive({ run, workers: 3, finish: cancel.signal, cancel: cancel.signal });
  expect(end).toMatchObject({ kind: "parked" });
  expect(cancelled).toHaveLength(3);
});

test("a limit that one agent reaches holds up all workers of its account after their turns, and all continue at the reset", async () => {
  const gate = together(2);
  const time = new DrivenTime();
  const reset = time.now() + 600_000;
  const begun: number[] = [];
  const run = await beginTasks(
    [1, 2, 3, 4].map((id) => ({ id: `t${id}` })),
    async ({ prompt }) => {
      begun.push(time.now());
      await gate.meet(prompt);
      const limited = prompt === "Make t1." && time.now() < reset;
      return limited ? { stop: "error", errorKind: "limit", error: "Enough for today.", resetAt: reset } : { text: "made" };
    },
    time,
  );
  let isOver = false;
  const driving = driven.drive({ run, workers: 2 }).finally(() => (isOver = true));
  while (!driven.events.some((event) => event.type === "notice" && event.text.includes("Waiting until"))) await time.advance(0);
  const before = begun.length;
  expect(before).toBeLessThanOrEqual(3);
  await time.advance(reset - time.now() - 1);
  expect(begun).toHaveLength(before);
  gate.close();
  while (!isOver) await time.advance(100);
  expect(await driving).toEqual({ run, kind: "completed" });
  expect(begun.slice(before).every((at) => at >= reset)).toBe(true);
  expect(begun.length).toBe(6);
});

test("an agent that is not logged in gets no second file and fails none: driving ends, and all are done after the login", async () => {
  let isLoggedIn = false;
  const files = Array.from({ length: 5 }, (_, at) => `f${at}.txt`);
  const run = await beginReview(files, async (turn, door) => {
    if (!isLoggedIn) return { stop: "error", errorKind: "auth", error: "Please sign in.", text: "" };
    await check(turn, door);
    return {};
  });
  const why = "`scripted` is refused by its provider: Please sign in.";
  expect(await driven.drive({ run, workers: 2 })).toEqual({ run, kind: "parked", why, login: "scripted" });
  expect(driven.turns.length).toBeLessThanOrEqual(2);
  expect(new Set(driven.turns.map(fileOf)).size).toBe(driven.turns.length);
  isLoggedIn = true;
  expect(await driven.drive({ run, workers: 2 })).toEqual({ run, kind: "completed" });
  expect((await engine.context.store.selectItems(run, { list: "files", query: { status: "failed" }, limit: 10 })).length).toBe(0);
});

test.each([
  ["has not the model", "scripted", "The agent does not have the model `nope`."],
  ["dies at its start", broken, "The agent `broken` ended with code 1."],
])("an agent that %s fails no file: driving ends and says what to change, and all are done after that", async (_what, agent, why) => {
  let isRight = false;
  const run = await beginReview(
    Array.from({ length: 5 }, (_, at) => `f${at}.txt`),
    async (turn, door) => {
      if (!isRight) return { stop: "error", errorKind: "setup", error: why, text: "" };
      await check(turn, door);
      return {};
    },
  );
  const end = await driven.drive({ run, agent, workers: 2 });
  expect(end).toMatchObject({ run, kind: "parked", setup: agent, why: expect.stringContaining(why) as string });
  expect(end).toMatchObject({ why: expect.stringMatching(/cannot work as it is set up: .* Correct its entry/s) as string });
  expect(new Set(driven.turns.map(fileOf)).size).toBeLessThanOrEqual(2);
  isRight = true;
  expect(await driven.drive({ run, workers: 2 })).toEqual({ run, kind: "completed" });
  expect((await engine.context.store.selectItems(run, { list: "files", query: { status: "failed" }, limit: 10 })).length).toBe(0);
});

test("a limit that all workers hit at the same moment is one: all steps wait for the same time, and the next try alone lengthens the pause", async () => {
  const time = new DrivenTime();
  const began = time.now();
  const tried: number[] = [];
  const release: (() => void)[] = [];
  const run = await beginTasks(
    [1, 2, 3, 4, 5, 6].map((id) => ({ id: `t${id}` })),
    async ({ prompt }) => {
      tried.push(Math.floor((time.now() - began) / 60_000));
      if (time.now() - began >= 6 * 60_000 || prompt === "Finish.") return { text: "made" };
      // No turn ends before all workers have begun theirs, and each at a time of its own.
      await new Promise<void>((done) => {
        release.push(done);
        if (release.length === 3) for (const each of release.splice(0)) each();
      });
      await time.advance(7);
      return { stop: "error", errorKind: "limit", error: "Enough.", text: "" };
    },
    time,
  );
  let isOver = false;
  const driving = driven.drive({ run, workers: 3 }).finally(() => (isOver = true));
  // Hardly any time passes but what the driver says that it waits for.
  const said = (): readonly string[] =>
    driven.events.flatMap((event) => (event.type === "notice" ? (/Waiting until (\S+)\. /.exec(event.text)?.[1] ?? []) : []));
  for (let waited = 0; !isOver;) {
    const until = said()[waited];
    if (until !== undefined) waited += 1;
    await time.advance(until === undefined ? 1 : Math.max(1, Date.parse(until) - time.now()));
  }
  expect(await driving).toEqual({ run, kind: "completed" });
  const waits = (await journal(engine.context, run, 0, 1000)).flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "blocked" ? [event.until] : [])),
  );
  expect(new Set(waits).size).toBe(2);
  expect(waits).toHaveLength(12);
  expect(tried.slice(0, 6)).toEqual([0, 0, 0, 1, 1, 1]);
  expect(tried.slice(6).every((minute) => minute === 6)).toBe(true);
  expect(await engine.context.store.readPools()).toEqual([]);
});
