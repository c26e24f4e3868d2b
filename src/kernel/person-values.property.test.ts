import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { agentStep, part, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { formatPath, type Json } from "../base/index.ts";
import type { Block, ComputedField, Expr, Program, Tier, WriteOperation } from "../program/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { createEvaluator } from "../state/index.ts";
import type { Update } from "./event.ts";
import { mainScope } from "./run-state.ts";

const sandbox = createSandbox();
let reads = 0;
const evaluator = createEvaluator({ runner: sandbox });
afterAll(() => sandbox.close());

/** Where the person is asked, and where the agent writes: both in the run itself, or in workflows that it calls. */
const shapes = ["one scope", "asked in a call", "asked two calls deep", "written in a call", "written in a later call"] as const;
type Shape = (typeof shapes)[number];

interface Case {
  readonly shape: Shape;
  readonly path: readonly [Tier, ...string[]];
  readonly before: readonly Update[];
  readonly after: readonly Update[];
}

const paths: readonly Case["path"][] = [
  ["raw", "approved"],
  ["state", "approved"],
  ["raw", "review", "approved"],
  ["state", "review", "approved"],
  ["raw", "files", "a_ts"],
];

const key = fc.constantFrom("approved", "review", "files", "a_ts", "a.ts", "raw", "state", "computed", "agreed", "sub", "outer", "other");
const yes: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>("yes", true, 1, null),
    fc.dictionary(key, tie("value"), { maxKeys: 2 }),
    fc.array(tie("value"), { maxLength: 2 }),
  ),
})).value;
const operation = fc.constantFrom<WriteOperation>("set", "set", "merge", "append", "increment", "decrement", "multiply");
const update: fc.Arbitrary<Update> = fc.record({
  tier: fc.constantFrom<Tier>("raw", "state"),
  keys: fc.array(key, { minLength: 1, maxLength: 3 }),
  op: operation,
  value: yes,
});
const updates = fc.array(update, { maxLength: 6 });

const given: fc.Arbitrary<Case> = fc.record({
  shape: fc.constantFrom<Shape>(...shapes),
  path: fc.constantFrom(...paths),
  before: fc.oneof(fc.constant([]), updates),
  after: updates,
});

function programOf({ shape, path }: Case): Program {
  const question: Block = {
    kind: "do",
    id: "q",
    who: "person",
    what: "user_input",
    args: {},
    writes: [{ path: value([...path]), op: "set" }],
    ask: { answerBy: "person" },
  };
  const call = (id: string, as: string): Block => ({ kind: "call", id, part: as, inputs: {}, as, onComplete: "last" });
  const order: Readonly<Record<Shape, readonly string[]>> = {
    "one scope": ["first", "q", "work", "last"],
    "asked in a call": ["call", "work"],
    "asked two calls deep": ["around", "work"],
    "written in a call": ["q", "call"],
    "written in a later call": ["call", "later"],
  };
  const inside = shape === "written in a call" ? "work" : "q";
  const agreed: ComputedField = {
    name: "agreed",
    from: [shape === "asked two calls deep" ? formatPath(["sub", ...path.slice(1)]) : formatPath(path)],
    single: true,
    transform: "input === 'no' ? 'no' : 'yes'",
    onError: "ignore",
    fallback: null,
  };
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: order[shape] },
    call("call", "sub"),
    call("around", "outer"),
    call("later", "other"),
    question,
    agentStep("first"),
    agentStep("work"),
    agentStep("last"),
  ];
  const computed = order[shape].includes("q") ? [agreed] : [];
  const parts = { test: part("root", { computed }), sub: part(inside), outer: part("call", { computed: [agreed] }), other: part("work") };
  return { ...program(blocks, "root"), parts };
}

/** Everything that a condition may read the answer by. */
function readers({ shape, path: [tier, ...keys] }: Case): readonly string[] {
  const bare = keys.join(".");
  if (shape === "asked in a call" || shape === "written in a later call") return [bare, `sub.${bare}`];
  if (shape === "asked two calls deep") return ["agreed", "outer.agreed"];
  return [bare, `${tier}.${bare}`, "agreed", "computed.agreed", ...(bare === "files.a_ts" ? ['files["a.ts"]'] : [])];
}

async function readAll(run: MemoryRun, exprs: readonly string[], front?: string): Promise<Json> {
  const { scopes } = run.state;
  const place = { run: `r${(reads += 1)}`, program: run.program, scopes, scope: mainScope };
  const locals = front === undefined ? {} : await evaluator.flat(place.program, place.run, scopes, front);
  const wanted = Object.fromEntries(exprs.map((of): [string, Expr] => [of, { as: "value", of: `{{ ${of} }}` }]));
  const functions = { now: () => "", uuid: () => "" };
  const read = await evaluator.evaluate({ ...place, exprs: wanted, locals, globals: {}, functions });
  evaluator.forget(place.run);
  return read.ok ? { ...read.values } : read.message;
}

function scopeOf({ state }: MemoryRun): string {
  return state.strands["main"]?.scope ?? mainScope;
}

function writeAll(run: MemoryRun, all: readonly Update[]): number {
  const set = (each: Update) => run.input({ type: "set", scope: scopeOf(run), updates: [each], holder });
  return all.filter((each) => set(each)?.code === "STATE_OF_PERSON").length;
}

function reportOpen(run: MemoryRun): void {
  run.report(Object.keys(run.state.actions)[0] ?? "");
}

/** An agent does what is open before the step that may change everything, and writes as much as it can there. */
function toWork(run: MemoryRun, all: readonly Update[]): number {
  let refused = 0;
  while (Object.values(run.state.actions)[0]?.step !== "work") {
    refused += writeAll(run, all);
    reportOpen(run);
  }
  return refused;
}

test("whatever agents write around it, every reader finds what the person answered", async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(given, async (each) => {
      const run = new MemoryRun(programOf(each), (need) =>
        Object.fromEntries(Object.keys(need.exprs).map((name) => [name, [...each.path]])),
      );
      run.start();
      if (each.shape === "one scope") {
        writeAll(run, each.before);
        reportOpen(run);
      }
      const inCall = each.shape !== "one scope" && each.shape !== "written in a call";
      refused += writeAll(run, inCall ? [] : each.after);
      run.answer(Object.keys(run.state.decisions)[0] ?? "", "no");
      // A place that cannot be read or written is not passed.
      expect([undefined, "STATE_HIDES_ANSWER", "STATE_WRITE"]).toContain(run.state.error?.code);
      if (run.state.status === "failed") return;
      if (inCall) refused += toWork(run, each.after);
      const wanted = Object.fromEntries(readers(each).map((of) => [of, "no"]));
      expect(await readAll(run, readers(each))).toEqual(wanted);
      refused += writeAll(run, each.after);
      const front = each.shape.startsWith("written") ? scopeOf(run) : undefined;
      if (front !== undefined) reportOpen(run);
      expect(await readAll(run, readers(each), front)).toEqual(wanted);
      expect(replay(run.events)).toEqual(run.state);
    }),
    { numRuns: 150 },
  );
  expect(refused).toBeGreaterThan(0);
});
