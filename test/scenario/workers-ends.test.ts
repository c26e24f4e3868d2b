/** How driving ends, however many workers there are and whichever of them came to what holds the run up. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { askPerson, next, report, start, type Caller } from "../../src/engine/index.ts";
import type { DriveEnd } from "../../src/runner/index.ts";
import { openDriven, type DrivenRun } from "../support/driven-run.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;

/** What a task comes to; from the one that counts before all others, as far as they hold up the run. */
const kinds = ["question", "denied", "stuck", "until", "elsewhere", "done"] as const;
type Kind = (typeof kinds)[number];

/** A task for each, which comes to what its kind says. One that is denied is the last: without the permission no other begins. */
const tasksOf = (ofKinds: readonly Kind[]): string => `
name: make:all
description: A task for each item
steps:
  - { id: all, type: parallel_foreach, items: ${JSON.stringify(ofKinds.map((kind, at) => ({ id: `${kind}-${at}`, kind })))}, sub_agent_task: each }
sub_agent_tasks:
  each:
    steps:
      - { id: work, type: agent_task, prompt: "Make {{ item.id }}." }
      - id: more
        type: conditional
        condition: "{{ item.kind === 'denied' }}"
        then:
          - { id: look, type: shell_command, command: "true" }
`;

const hour = 3_600_000;

/** Begins a run whose driven tasks come to their kinds; those `elsewhere` are held by somebody who is alive. */
async function begin(ofKinds: readonly Kind[]): Promise<string> {
  engine = await openTestEngine({ ".waymark/workflows/make__all.yaml": tasksOf(ofKinds) });
  await engine.allow("make:all");
  const came = new Set<string>();
  const toCome = ofKinds.filter((kind) => kind !== "elsewhere" && kind !== "denied").length;
  let othersCame = (): void => undefined;
  const others = new Promise<void>((done) => (othersCame = done));
  driven = await openDriven(engine, async ({ prompt }) => {
    const kind = /^Make (\w+)/.exec(prompt)?.[1] as Kind;
    if (kind === "denied") {
      await others;
      await engine.host.permissions.revoke((await engine.context.catalog.load("make:all")).hash);
    } else {
      await come(run, prompt, kind);
      if (came.add(prompt).size === toCome) othersCame();
    }
    return { text: "made" };
  });
  const { run } = await start(engine.context, engine.caller, { workflow: "make:all", held: false });
  for (const [at, kind] of ofKinds.entries()) {
    if (kind !== "elsewhere") continue;
    const session = `else-${at}`;
    const other: Caller = { ...engine.caller, holder: { kind: "agent", name: "other", session }, leaseOwner: session };
    await next(engine.context, other, { run, task: `${kind}-${at}` });
  }
  return run;
}

/** What the step of a turn comes to while its agent works. */
async function come(run: string, prompt: string, kind: Kind): Promise<void> {
  const { context } = engine;
  const { state } = await context.runs.open(run);
  const { id: action, strand } = Object.values(state.actions).find(({ args }) => args["prompt"] === prompt)!;
  const { holder } = state.strands[strand]!;
  const caller: Caller = { holder: holder!, surface: "runner", leaseOwner: holder!.session, stays: true };
  if (kind === "question") await askPerson(context, caller, { run, action, question: `What of ${prompt}?` });
  const now = await context.store.now();
  if (kind === "until") await report(context, caller, { run, action, error: "Enough.", blockedUntil: now + hour });
  // Tried again at once, and stopped when it has come back often enough.
  if (kind === "stuck") await report(context, caller, { run, action, error: "Enough.", blockedUntil: now - 1, waiting: { idle: true } });
}

const howOf = (end: DriveEnd): string => {
  if (end.kind === "waits") return end.questions.length === 0 ? "no question" : "question";
  if (end.kind !== "parked") return end.kind;
  if (end.allow !== undefined) return "denied";
  if (end.stuck === true) return "stuck";
  return end.until === undefined ? end.why : "until";
};

test("what a task waits for is how driving ends, whichever of the workers came to it and however many there are", async () => {
  const others = fc.array(fc.constantFrom(...kinds.filter((kind) => kind !== "denied")), { minLength: 1, maxLength: 4 });
  const settling = fc.constantFrom<Kind>("question", "stuck", "until");
  const tasks = fc.tuple(fc.boolean(), settling, others).map(([denied, settled, more]): readonly Kind[] => {
    const all: readonly Kind[] = [...more.slice(1), settled, ...more.slice(0, 1)];
    return denied ? [...all, "denied"] : all;
  });
  await fc.assert(
    fc.asyncProperty(tasks, fc.integer({ min: 1, max: 6 }), async (ofKinds, workers) => {
      const run = await begin(ofKinds);
      try {
        const end = await driven.drive({ run, workers, waits: false });
        expect(howOf(end)).toBe(kinds.find((kind) => ofKinds.includes(kind)));
      } finally {
        await driven.close();
        await engine.close();
      }
    }),
    { numRuns: 25 },
  );
});
