import fc from "fast-check";
import { expect, test } from "vitest";
import { HolderWorld, ttlMs } from "../../test/support/holder-world.ts";
import { settled } from "../../test/support/settled.ts";
import { next } from "./commands/next.ts";
import { report } from "./commands/report.ts";
import { resume } from "./commands/resume.ts";
import { start } from "./commands/start.ts";
import { readState } from "./commands/state.ts";

const callers = ["ann", "bob", "runner", "foreign"] as const;

interface Call {
  readonly who: (typeof callers)[number];
  readonly do: "next" | "resume" | "report";
}

interface Came {
  /** Of the caller. */
  readonly session: string;
  /** `ok`, or what refused it. */
  readonly code: string;
  readonly recorded?: "now" | "before";
  readonly sent: number;
}

interface Seen {
  readonly status: string;
  readonly holder: string | undefined;
  readonly open: string | undefined;
}

let sent = 0;

/** All of them call before any has an answer. Every report is about what is open at first. */
async function meet(world: HolderWorld, run: string, calls: readonly Call[]): Promise<readonly Came[]> {
  const { open: action = "none" } = await look(world, run);
  const asking = [];
  for (const { who, do: what } of calls) asking.push({ ...(await world.caller(who)), what, sent: (sent += 1) });
  return Promise.all(
    asking.map(async ({ context, caller, what, sent: result }): Promise<Came> => {
      const came = { session: caller.holder.session, sent: result };
      const answered =
        what === "report"
          ? report(context, caller, { run, action, result }).then(({ recorded }) => ({ ...came, code: "ok", recorded }))
          : (what === "next" ? next : resume)(context, caller, { run, waitMs: 0 }).then(() => ({ ...came, code: "ok" }));
      const { ok, refusal } = await settled<Came>(answered);
      return ok ?? { ...came, code: refusal?.code ?? "" };
    }),
  );
}

async function look({ observer: { context } }: HolderWorld, run: string): Promise<Seen> {
  const { state } = await context.runs.open(run);
  return { status: state.status, holder: state.strands["main"]?.holder?.session, open: Object.keys(state.actions)[0] };
}

/** Nobody is served but who holds the step in the end; that is the one who was alive before, else one of those who called. */
function expectOneHolder(
  came: readonly Came[],
  { holder, living }: { readonly holder: string | undefined; readonly living: string | undefined },
): void {
  const served = came.filter(({ code, recorded }) => code === "ok" && recorded !== "before").map(({ session }) => session);
  expect(new Set(served)).toEqual(new Set(living === undefined || served.length > 0 ? [living ?? holder] : []));
}

const call: fc.Arbitrary<Call> = fc.record({
  who: fc.constantFrom(...callers),
  do: fc.constantFrom("next" as const, "resume" as const, "report" as const, "report" as const),
});
const rounds = fc.array(fc.record({ calls: fc.array(call, { minLength: 2, maxLength: 5 }), dies: fc.boolean() }), { maxLength: 8 });
const all = (what: Call["do"]): Call[] => callers.map((who) => ({ who, do: what }));
const always: [typeof rounds extends fc.Arbitrary<infer T> ? T : never] = [
  [
    { calls: all("next"), dies: true },
    { calls: [...all("report"), ...all("next")], dies: true },
    { calls: [...all("next"), ...all("report")], dies: false },
    { calls: [...all("report"), ...all("resume")], dies: true },
    { calls: all("report"), dies: true },
  ],
];

const refusals = ["STRAND_HELD", "HOLDER_LOST", "ENGINE_WRONG_STEP", "ENGINE_NO_ACTION", "ACTION_NOT_OPEN", "RUN_ENDED"];

test("of those who call at the same moment one has the step, the others change nothing, and a report counts once", async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(rounds, async (played) => {
      const world = await HolderWorld.open();
      try {
        const { context, caller } = world.observer;
        const { run } = await start(context, caller, { workflow: "line", waitMs: 0, held: false });
        const recorded: number[] = [];
        let living: string | undefined;
        for (const { calls, dies } of played) {
          const came = await meet(world, run, calls);
          const { status, holder } = await look(world, run);
          const counted = came.filter((each) => each.recorded === "now");
          recorded.push(...counted.map((each) => each.sent));
          expect(counted.length).toBeLessThanOrEqual(1);
          expect((await readState(context, run)).state["seen"]).toEqual(recorded);
          if (status === "running") expectOneHolder(came, { holder, living });
          for (const { code, recorded: when } of came) met.add(when ?? code);
          living = dies ? undefined : holder;
          if (!dies) continue;
          for (const who of callers) world.kill(who);
          await world.time.advance(ttlMs);
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 6), examples: [always] },
  );
  expect([...met].filter((code) => !["ok", "now", "before", ...refusals].includes(code))).toEqual([]);
  expect(["ok", "now", "before", "STRAND_HELD"].filter((code) => !met.has(code))).toEqual([]);
});
