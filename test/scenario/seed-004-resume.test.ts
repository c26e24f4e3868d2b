/** Sessions that were begun elsewhere: where they go on, and what of them counts. */
import { expect, test } from "vitest";
import { brought } from "../support/seed-004-brought.ts";
import { asking, decisionIn, did, doing, order, type Recording } from "../support/seed-004-recording.ts";
import { single } from "../support/seed-004-runs.ts";

const minutes = 120_000;
const statuses = ({ writes }: Recording): string[] => {
  const found = writes.map((status) => {
    const tracking = status["gate_tracking"] as { APPROVE_DESIGN?: { correction_status?: string } } | undefined;
    return tracking?.APPROVE_DESIGN?.correction_status ?? "";
  });
  return found.filter((word, index) => word !== found[index - 1]);
};

test(
  "R75 a session in APPROVE_DESIGN goes on there, not by way of ASK_USER",
  async () => {
    const all = await brought();
    for (const name of ["none", "queued", "dispatched", "completed"] as const)
      expect([name, all[name].shown.slice(0, 2)]).toEqual([name, ["APPROVE_DESIGN", "PLAN"]]);
  },
  minutes,
);

test(
  "R76 changes requested, correction none or unknown: it is queued first, then dispatched once, then asked about",
  async () => {
    const all = await brought();
    for (const name of ["none", "untracked"] as const) {
      expect(order(all[name]).slice(0, 2)).toEqual(["do Architect:meta", "ask UD-APPROVE-DESIGN"]);
      expect(statuses(all[name])).toEqual(["queued", "dispatched", "completed"]);
    }
  },
  minutes,
);

test(
  "R77 correction queued: it is dispatched, once",
  async () => {
    const { queued } = await brought();
    expect(order(queued).slice(0, 2)).toEqual(["do Architect:meta", "ask UD-APPROVE-DESIGN"]);
    expect(did(queued).filter((what) => what === "Architect:meta")).toHaveLength(1);
  },
  minutes,
);

test(
  "R78 correction dispatched: the work is looked at and counts as completed, nothing is dispatched again",
  async () => {
    const { dispatched } = await brought();
    expect(order(dispatched)[0]).toBe("ask UD-APPROVE-DESIGN");
    expect(statuses(dispatched)).toEqual(["completed"]);
  },
  minutes,
);

test(
  "R79 correction dispatched, but what is there does not pass: it is mended before the gate is asked",
  async () => {
    const { unfinished } = await brought();
    expect(order(unfinished).slice(0, 2)).toEqual(["do Architect:meta", "ask UD-APPROVE-DESIGN"]);
  },
  minutes,
);

test(
  "R80 correction completed: approval is asked for again, nothing is dispatched",
  async () => {
    const { completed } = await brought();
    expect(order(completed)[0]).toBe("ask UD-APPROVE-DESIGN");
    expect(did(completed)).toEqual([]);
  },
  minutes,
);

test(
  "R81 a session in REVIEW_STRATEGY leaves it only with a canonical answer",
  async () => {
    const { strategy } = await brought();
    expect(strategy.shown).toEqual(["APPROVE_DESIGN", "PLAN", "REVIEW_STRATEGY", "IMPLEMENT_LOOP"]);
    expect(asking(strategy, "UD-REVIEW-STRATEGY")).toHaveLength(1);
    expect(strategy.open).toBe("Coder:T-001");
  },
  minutes,
);

test(
  "R82 a session in ASK_USER goes on in the state its question came from",
  async () => {
    const { asking: asked } = await brought();
    expect(asked).toMatchObject({ open: "Architect:meta" });
    expect(asked.shown.at(-1)).toBe("DESIGN");
  },
  minutes,
);

test(
  "R83 a session in BLOCKED goes on where it was",
  async () => {
    expect((await brought()).blocked).toMatchObject({ shown: ["INTAKE"], open: "SpecAgent:meta" });
  },
  minutes,
);

test(
  "R84 what was pending elsewhere is skipped with a reason, and asked again when its turn comes",
  async () => {
    const { asking: asked, strategy } = await brought();
    expect(decisionIn(asked.writes.at(-1)!, "UD-7")).toMatchObject({
      status: "skipped",
      resolution_reason: expect.stringMatching(/\S/) as string,
    });
    expect(decisionIn(strategy.writes[0]!, "UD-REVIEW-STRATEGY")).toMatchObject({ status: "skipped" });
    expect(decisionIn(strategy.writes.at(-1)!, "UD-REVIEW-STRATEGY")).toMatchObject({ status: "answered", answer: "per-batch" });
  },
  minutes,
);

test(
  "R85 approvals in a file that was brought along are asked again; work that is there and valid is not done again",
  async () => {
    const { loop } = await brought();
    expect(order(loop)).toEqual(["ask UD-APPROVE-DESIGN", "ask UD-REVIEW-STRATEGY"]);
    expect(loop.open).toBe("Coder:T-001");
  },
  minutes,
);

test(
  "R86 tries that were used up elsewhere stay used up, and assumptions are kept",
  async () => {
    const { loop } = await brought();
    expect(loop.writes.at(-1)).toMatchObject({ retry_counts: { "T-001": { FIX_REVIEW: 2 } } });
    expect(loop.writes.at(-1)?.assumptions).toContain("Titles are short.");
  },
  minutes,
);

test(
  "R87 earlier sessions are not written",
  async () => {
    const { earlier } = await brought();
    expect(earlier[0]).toContain("IMPLEMENT_LOOP");
    expect(earlier[1]).toBe(earlier[0]);
  },
  minutes,
);

test(
  "R88 a run goes on in another process where it was, with nothing done twice",
  async () => {
    const run = await single();
    expect(doing(run, "Coder:T-001")).toHaveLength(1);
    expect(doing(run, "Coder:T-002")).toHaveLength(1);
    expect(order(run).filter((line) => line.startsWith("ask UD-")).length).toBe(3);
  },
  minutes,
);
