import { afterEach, describe, expect, test } from "vitest";
import { openMachineWorld, person, type MachineWorld, type Play } from "../../../../test/support/machine-world.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { textOf } from "../../../base/index.ts";
import { answer, journal, next, progress, start } from "../../../engine/index.ts";

import fc from "fast-check";

let world: MachineWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const folder = ".waymark/workflows";
const kinds = ["gate", "skipped gate", "dispatch", "workflow", "ask", "checks"] as const;
type Kind = (typeof kinds)[number];

/** A step of a state as it is written, and what somebody is given to do by it. */
function stepOf(kind: Kind, name: string): { readonly written: string; readonly seen: readonly string[] } {
  switch (kind) {
    case "gate":
      return { written: `{ gate: UD-${name}, question: Gate ${name}?, passes: approved }`, seen: [`Gate ${name}?`] };
    case "skipped gate":
      return { written: `{ gate: UD-${name}, question: Gate ${name}?, passes: approved, when: mode === 'none' }`, seen: [] };
    case "dispatch":
      return { written: "{ dispatch: W }", seen: ["W:meta"] };
    case "workflow":
      return { written: "{ workflow: inner }", seen: ["a"] };
    case "ask":
      return { written: `{ ask: ${name}, question: Ask ${name}?, options: { yes: Yes., no: No. } }`, seen: [`Ask ${name}?`] };
    case "checks":
      return { written: "{ checks: all }", seen: [] };
  }
}

interface Way {
  readonly first: readonly Kind[];
  readonly second: readonly Kind[];
  /** So often the first state leads back to itself. */
  readonly loops: number;
}

const again = "Once more?";

/** The machine of a way, and everything that is seen when it is walked, in order. */
function machineOf({ first, second, loops }: Way): { readonly text: string; readonly expected: readonly string[] } {
  const a = first.map((kind, index) => stepOf(kind, `A${index}`));
  const b = second.map((kind, index) => stepOf(kind, `B${index}`));
  const text = [
    "machine: order",
    "description: Gates in an order.",
    "start: A",
    "roles:",
    "  W: { title: Works., instructions: roles/w.md }",
    "states:",
    "  A:",
    `    do: [${[...a.map(({ written }) => written), `{ ask: more, question: ${again}, options: { more: M., on: O. }, into: more }`].join(", ")}]`,
    "    on: [{ when: more === 'more', to: A }]",
    "    next: B",
    "  B:",
    `    do: [${[...b.map(({ written }) => written), "{ finish: true }"].join(", ")}]`,
    "    next: C",
    "  C: { do: [{ dispatch: W }, { finish: true }], next: end }",
    "done: {}",
    "",
  ].join("\n");
  const round = [...a.flatMap(({ seen }) => seen), again];
  const expected = [...Array.from({ length: loops + 1 }, () => round).flat(), ...b.flatMap(({ seen }) => seen), "W:meta"];
  return { text, expected };
}

/** Walks a machine to its end; answers what was seen on the way. */
async function walk(way: Way): Promise<readonly string[]> {
  world = await openMachineWorld(
    {
      [`${folder}/order.machine.yaml`]: machineOf(way).text,
      [`${folder}/inner.yaml`]:
        'name: inner\ndescription: One step.\nversion: "1.0.0"\nsteps:\n  - { id: a, type: agent_shell_command, command: ls }\n',
      [`${folder}/roles/w.md`]: "Work.",
    },
    { workflow: "order", repository: "none" },
  );
  const { context, caller } = world.engine;
  await world.engine.allow("order").catch(() => undefined);
  const { run } = await start(context, caller, { workflow: "order", inputs: {} });
  const seen: string[] = [];
  let left = way.loops;
  for (let turn = 0; turn < 100; turn += 1) {
    const { standing, state } = await next(context, caller, { run, waitMs: 20_000 });
    if (standing.kind === "question") {
      const [question = ""] = standing.decision.question.split("\n");
      seen.push(question);
      const word = question === again ? (left-- > 0 ? "more" : "on") : /^UD-[AB]/.test(standing.decision.id) ? "approved" : "yes";
      await answer(context, person, { run, decision: standing.decision.id, answer: word, relayed: false });
    } else if (standing.kind === "action") {
      seen.push(standing.action.step);
      const result = standing.action.what === "role" ? reported("OK", "Done.") : "ok";
      await progress(context, caller, { run, action: standing.action.id, status: "success", result, waitMs: 0 });
    } else {
      if (state.status !== "completed") throw new Error(JSON.stringify(state.error ?? standing));
      return seen;
    }
  }
  throw new Error(`The run does not end: ${seen.join(" | ")}`);
}

describe("every gate of a state is asked in its place, each time the state is entered", () => {
  test.each<readonly [string, Way]>([
    ["two gates in a row", { first: [], second: ["gate", "gate"], loops: 0 }],
    ["two gates in a row in a loop", { first: ["gate", "gate"], second: [], loops: 2 }],
    ["a workflow between gates", { first: [], second: ["gate", "workflow", "gate"], loops: 0 }],
    ["a gate that does not apply between gates", { first: ["gate", "skipped gate", "gate"], second: [], loops: 1 }],
    ["gates before and after a dispatch in a loop", { first: ["gate", "dispatch", "gate"], second: ["gate"], loops: 1 }],
    ["a question and checks between gates", { first: ["gate", "ask", "checks", "gate"], second: ["gate", "gate"], loops: 1 }],
  ])("%s", async (_name, way) => {
    expect(await walk(way)).toEqual(machineOf(way).expected);
  });

  test("whatever the steps are", async () => {
    const steps = fc.array(fc.constantFrom<Kind>("gate", "gate", ...kinds), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.record({ first: steps, second: steps, loops: fc.nat({ max: 2 }) }), async (way) => {
        expect(await walk(way)).toEqual(machineOf(way).expected);
        await world?.close();
        world = undefined;
      }),
      { numRuns: 12 },
    );
  });
});

test("a gate that is asked again since its content changed does not pass the gate that follows", async () => {
  const machine = [
    "machine: order",
    "description: One gate binds what a later role changes.",
    "start: A",
    "artifacts: { notes: { path: notes.md } }",
    "roles:",
    "  W: { title: Works., instructions: roles/w.md, writes: [notes] }",
    "states:",
    "  A: { do: [{ dispatch: W }, { gate: UD-X, question: Right?, binds: [notes], passes: approved }], next: B }",
    "  B: { do: [{ dispatch: W }], next: C }",
    "  C: { do: [{ dispatch: W }, { gate: UD-Y, question: Release?, passes: approved }, { finish: true }], next: end }",
    "done: {}",
    "",
  ].join("\n");
  world = await openMachineWorld(
    { [`${folder}/order.machine.yaml`]: machine, [`${folder}/roles/w.md`]: "Work." },
    { workflow: "order", repository: "none" },
  );
  const run = await world.begin({});
  let written = 0;
  const write: Play = async ({ session }, here) => {
    written += 1;
    if (written < 3) await here.write(`${textOf(session ?? "")}/notes.md`, `Notes ${written}.\n`);
    return reported("OK", "Done.");
  };
  const questions: string[] = [];
  const { state } = await world.drive(run, { W: write }, ({ question }) => {
    questions.push(question.split("\n")[0] ?? "");
    return "approved";
  });
  expect(world.seen).toEqual(["do W:meta", "ask UD-X", "do W:meta", "ask UD-X", "do W:meta", "ask UD-Y"]);
  expect(questions).toEqual(["Right?", expect.stringContaining("has changed since"), "Release?"]);
  expect(state.status).toBe("completed");
});

test("no wrong answer closes a gate, and the same one again is recorded once", async () => {
  const { text } = machineOf({ first: ["gate"], second: [], loops: 0 });
  world = await openMachineWorld(
    { [`${folder}/order.machine.yaml`]: text, [`${folder}/roles/w.md`]: "Work." },
    { workflow: "order", repository: "none" },
  );
  const { context, caller } = world.engine;
  const run = await world.begin({});
  await next(context, caller, { run, waitMs: 20_000 });
  const say = (word: string): Promise<unknown> =>
    answer(context, person, { run, decision: "UD-A0", answer: word, relayed: false }).catch((error: Error) => error.message);
  for (let time = 0; time < 5; time += 1) expect(await say("banana")).toBe("Answer `approved`.");
  for (const word of ["apple", "banana", "cherry", "date", "elderberry"]) expect(await say(word)).toBe("Answer `approved`.");
  const refused = (await journal(context, run, 0, 500)).flatMap(({ events }) => events.filter(({ type }) => type === "answer_refused"));
  expect(refused).toHaveLength(5);
  expect(await say("approved")).toMatchObject({ recorded: "now" });
});
