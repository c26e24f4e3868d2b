import { setTimeout as sleep } from "node:timers/promises";
import { leases, type DriftWorld } from "./drift-world.ts";
import { actHonestly, honestBatch, honestReport } from "./honest.ts";
import type { Open, Surface } from "./surface.ts";

/** One misdeed at what is open. */
type Act = (world: DriftWorld, agent: Surface, open: Open) => Promise<void>;

const offCourse = ["ENGINE_OFF_COURSE"];

const skips: readonly Act[] = [
  (world, agent) => refusedReport(world, agent, "a skip without a reason", { status: "skipped" }),
  (world, agent) => refusedReport(world, agent, "a skip with an empty reason", { status: "skipped", skipReason: " \n" }),
  (world, agent) => refusedReport(world, agent, "a failure without a reason", { status: "failed" }),
  async (world, agent, open) => {
    if (open.kind !== "check") return;
    const report = agent.report(world.run, { status: "skipped", skipReason: "no time for it", identical: world.random.chance(0.3) });
    if (world.workflow.skips) await world.tolerated("a skip with its reason", report);
    else await world.refused("a skip where none is allowed", report, offCourse);
  },
  async (world, agent, open) => {
    if (open.kind !== "check") return;
    // Taken for a plain report it settles the item; it must not end as a skip without a reason.
    await world.tolerated("a skip that goes around the checklist", agent.progress(world.run, open.id, { status: "skipped" }));
  },
  async (world, agent, open) => {
    if (world.workflow.name !== "old-calls" || open.kind === "question") return;
    const some = { file_patterns: [world.random.pick(["src/**", "lib/**", "*.js"])] };
    const token = await agent.preview(world.run, "skip_instances", some).catch((error: unknown) => error as Error);
    if (token === undefined) return;
    const skipped = typeof token === "string" ? agent.confirm(world.run, token) : Promise.reject(token);
    if (world.workflow.skips) await world.tolerated("a batch of skips", skipped);
    else await world.refusedBatch("a batch of skips where none is allowed", skipped);
  },
];

const repeats: readonly Act[] = [
  async (world, agent, open) => {
    if (open.kind !== "check") return actHonestly(world, agent, open);
    const report = { ...honestReport(world, open), actionId: open.id };
    if ((await world.tolerated("a report", agent.report(world.run, report))) !== undefined) return;
    const other = world.random.chance(0.5) ? report : { ...report, status: "failed" as const, error: "no, it failed" };
    for (let times = 1 + world.random.below(3); times > 0; times -= 1) await repeated(world, agent.report(world.run, other));
  },
  async (world, agent, open) => {
    if (open.kind !== "check") return;
    const report = { ...honestReport(world, open), actionId: open.id };
    let now = 0;
    const once = async (): Promise<void> => {
      if ((await agent.report(world.run, report)) === "now") now += 1;
    };
    await Promise.all([world.tolerated("one of two reports at once", once()), world.tolerated("the other of the two", once())]);
    if (now !== 1) world.complain(`two reports at once were recorded ${now} times`);
  },
  async (world, agent, open) => {
    if (open.kind !== "check" || open.instance) return;
    const done = await world.tolerated(
      "a report",
      agent.report(world.run, { file: open.file, item: open.item, status: "completed", result: "read" }),
    );
    if (done === undefined)
      await repeated(world, agent.report(world.run, { file: open.file, item: open.item, status: "completed", result: "read" }));
  },
  async (world, agent, open) => {
    const again = await agent.next(world.run);
    if (again.kind === open.kind && again.id !== open.id) world.complain(`asked twice, ${open.id} became ${again.id}`);
  },
  async (world, agent, open) => {
    if (open.kind !== "batch") return;
    const token = await honestBatch(world, agent);
    if (token !== undefined)
      await world.refused("a token used twice", agent.confirm(world.run, token), ["ENGINE_TOKEN_USED", "ENGINE_TOKEN_DEAD"]);
  },
];

const outOfOrder: readonly Act[] = [
  async (world, agent, open) => {
    const file = await otherFile(world, open);
    if (file !== undefined) await refusedReport(world, agent, "a report on another file", { file, status: "completed" });
  },
  async (world, agent, open) => {
    if (open.kind !== "check") return;
    const below = await world.observer.context.store.selectItems(world.run, {
      list: "files",
      query: { status: "pending", parent: open.file },
      limit: 20,
    });
    if (below.length === 0) return;
    const { id } = world.random.pick(below);
    await refusedReport(world, agent, "a report on a later item", { file: open.file, item: id, status: "completed" });
  },
  async (world, agent, open) => {
    if (open.kind !== "check") return;
    const action = open.instance ? "analyze_file" : "convert_instance";
    await refusedReport(world, agent, "another action", { action, status: "completed" });
  },
  (world, agent, open) =>
    open.kind === "question" ? refusedReport(world, agent, "a report before the answer", { status: "completed" }) : Promise.resolve(),
  async (world, agent, open) => {
    if (open.kind === "question") return;
    const early = agent.answer(world.run, "approach", "review_by_file");
    await world.refused("an answer nobody asked for", early, [...offCourse, "ENGINE_NO_ACTION", "ENGINE_NO_RESULT", "ENGINE_WRONG_STEP"]);
  },
  async (world, agent, open) => {
    if (open.kind === "batch" || open.kind === "question" || world.workflow.name !== "old-calls") return;
    await honestBatch(world, agent);
  },
];

const invented = ["src/invented.js", "../outside.js", "/etc/hosts", "README.md", "F0.JS", "src/../f0.js", "constructor", "new/\u0000.js"];

const inventsFiles: readonly Act[] = [
  (world, agent) =>
    refusedReport(world, agent, "a report on a file that is not there", { file: world.random.pick(invented), status: "completed" }),
  // What is about another file is left out, and the rest is taken: here nothing is left, and the entry stays open.
  (world, agent) =>
    addedNothing(world, agent, "a finding in a file that is not there", {
      findings: [{ severity: "critical", description: "all is lost", file: world.random.pick(invented) }],
    }),
  (world, agent) =>
    addedNothing(world, agent, "a change of a file that is not there", {
      changes: [{ file: world.random.pick(invented), original_code: "a", proposed_code: "b", auto_applicable: true }],
    }),
  async (world, _agent, open) => {
    if (open.kind === "check") world.disturb();
  },
];

const inventsItems: readonly Act[] = [
  (world, agent, open) =>
    open.kind === "check"
      ? refusedReport(world, agent, "an item that is not there", {
          item: world.random.pick(["no-such-item", "__proto__", "constructor", "i000000000000", `${open.file}#nothing`]),
          status: "completed",
        })
      : Promise.resolve(),
  (world, agent) => addedNothing(world, agent, "a topic that is not there", { topics: [{ topic: "general/invented", relevance: 1 }] }),
  (world, agent) => refusedReport(world, agent, "an action that is not there", { actionId: "a999999", status: "completed" }),
  async (world, agent) => {
    await world.refused("a token nobody gave", agent.confirm(world.run, "batch-x-3-abcdef"), ["ENGINE_TOKEN_UNKNOWN"]);
    await world.refused("a batch nobody made", agent.undo(world.run, "b999"), ["ENGINE_NO_BATCH"]);
    await world.refused("a run nobody started", agent.next("review-invented"), ["ENGINE_NO_RUN"]);
  },
];

const claims: readonly Act[] = [
  async (world, agent, open) => {
    if (open.kind !== "complete") await world.refused("an early completion", agent.complete(world.run), ["RUN_NOT_DONE"]);
  },
  (world, agent, open) =>
    open.kind === "check"
      ? refusedReport(world, agent, "a report that all is done", { action: "complete_workflow", status: "completed" })
      : Promise.resolve(),
  async (world, agent, open) => {
    if (open.kind !== "check" || !open.instance) return;
    const done = await world.tolerated(
      "a conversion that was not made",
      agent.report(world.run, { actionId: open.id, status: "completed", result: "read" }),
    );
    if (done !== undefined) return;
    const rows = await world.observer.context.store.selectItems(world.run, { list: "files", query: { parent: open.file }, limit: 500 });
    if (rows.some((row) => row.id === open.item && row.status === "completed")) await world.tolerated("look", agent.next(world.run));
  },
  async (world, agent, open) => {
    if (open.kind === "check") await world.tolerated("a report of another shape", agent.progress(world.run, open.id, "all files are done"));
  },
  async (world, agent) => {
    const [path, value] = world.random.pick([
      ["raw.scan", { done: true, cursor: 1_000_000, total: 0 }],
      ["raw.inventory.total", 0],
      ["raw.verification", { compiled: true, ok: true }],
    ] as const);
    await world.tolerated("a write to the state", agent.write(world.run, path, value));
  },
];

const silent: readonly Act[] = [
  // Its process ends with something in hand; somebody else comes.
  async (world, agent) => {
    await agent.die();
    world.dismiss(agent);
    if (world.agents.length === 0) await world.newcomer();
  },
  // It stands still, is replaced, and speaks again.
  async (world, agent, open) => {
    if (world.zombies.length > 2) return;
    agent.hang();
    world.dismiss(agent);
    world.zombies.push({ agent, had: open });
    if (world.agents.length === 0) await world.newcomer();
    await sleep(leases.leaseTtlMs + leases.leaseBeatMs);
  },
  async (world) => {
    const zombie = world.zombies.shift();
    if (zombie === undefined) return;
    const { agent, had } = zombie;
    if (had.kind === "check")
      await world.tolerated("a late report", agent.report(world.run, { actionId: had.id, status: "failed", error: "it took too long" }));
    await agent.die();
  },
  async (world, agent) => {
    agent.hang();
    await sleep(leases.leaseTtlMs * 2);
  },
  // It confirms a batch and is gone before the end of it.
  async (world, agent, open) => {
    if (open.kind !== "batch") return;
    const token = await agent.preview(world.run, "apply_fixes", { auto_fixable_only: true });
    if (token === undefined) return;
    const confirmed = agent.confirm(world.run, token).catch(() => undefined);
    await sleep(world.random.below(60));
    await agent.die();
    await confirmed;
    world.dismiss(agent);
    if (world.agents.length === 0) await world.newcomer();
  },
];

const forgets: readonly Act[] = [
  // A new conversation in a new process: only the run's id is known.
  async (world, agent) => {
    await agent.die();
    world.dismiss(agent);
    const fresh = await world.newcomer();
    const { total } = await fresh.look(world.run);
    if (total < world.initial.size) world.complain(`who came back was told of ${total} files of ${world.initial.size}`);
    await world.next(fresh);
  },
  // The same connection, but nothing is remembered: asking gives the same thing again.
  async (world, agent, open) => {
    await agent.look(world.run);
    const again = await world.next(agent);
    if (open.kind === "check" && again.id !== open.id) world.complain(`who forgot ${open.id} was given ${again.id}`);
  },
  // It takes over from a process that is alive and has forgotten it.
  async (world) => {
    const fresh = await world.newcomer();
    await world.tolerated("taking over", fresh.next(world.run, true));
    const old = world.agents.find((other) => other !== fresh);
    if (old === undefined) return;
    world.dismiss(old);
    world.zombies.push({ agent: old, had: await old.next(world.run).catch(() => ({ kind: "other" }) as Open) });
  },
];

export const misbehaviours: Readonly<Record<string, readonly Act[]>> = {
  skips,
  repeats,
  "out of order": outOfOrder,
  "invents files": inventsFiles,
  "invents items": inventsItems,
  "claims completion": claims,
  "goes silent": silent,
  "no memory": forgets,
};

/** A report on what is open that must be refused and must change nothing. */
async function refusedReport(world: DriftWorld, agent: Surface, what: string, report: Parameters<Surface["report"]>[1]): Promise<void> {
  const before = await agent.next(world.run);
  if (before.kind !== "check" && before.kind !== "batch" && before.kind !== "question") return;
  const { question } = before;
  const asked = question.person ? ["DECISION_FOR_PERSON"] : ["ENGINE_BAD_VALUE", "ENGINE_NO_ACTION", "ENGINE_WRONG_STEP"];
  const codes = before.kind === "question" ? [...offCourse, ...asked] : offCourse;
  await world.refused(what, agent.report(world.run, report), codes);
  const after = await agent.next(world.run);
  if (after.id !== before.id) world.complain(`${what} was refused, and yet ${before.id} became ${after.id}`);
}

/** What is added to the entry that is open cannot be taken: it stays open, and nothing is kept. */
async function addedNothing(
  world: DriftWorld,
  agent: Surface,
  what: string,
  said: Omit<Parameters<Surface["report"]>[1], "status">,
): Promise<void> {
  const before = await agent.next(world.run);
  if (before.kind !== "check") return;
  await world.tolerated(what, agent.report(world.run, { ...said, status: "open" }));
  const after = await agent.next(world.run);
  if (after.id !== before.id) world.complain(`${what} was added, and ${before.id} became ${after.id}`);
}

async function repeated(world: DriftWorld, report: Promise<string>): Promise<void> {
  const code = await world.tolerated(
    "a repeated report",
    report.then((recorded) => {
      if (recorded !== "before") world.complain("a repeated report was recorded again");
    }),
  );
  if (code !== undefined) world.complain(`a repeated report was refused with ${code}`);
}

async function otherFile(world: DriftWorld, open: Open): Promise<string | undefined> {
  if (open.kind !== "check") return undefined;
  const rows = await world.observer.context.store.selectItems(world.run, {
    list: "files",
    query: { status: "pending", facets: { kind: "file" } },
    limit: 100,
  });
  const others = rows.filter((row) => row.id !== open.file);
  return others.length === 0 ? undefined : world.random.pick(others).id;
}
