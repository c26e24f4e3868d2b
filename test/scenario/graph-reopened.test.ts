import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, start, type Caller } from "../../src/engine/index.ts";
import type { Decision } from "../../src/kernel/index.ts";
import { openTestEngine } from "../support/test-engine.ts";

/** Its command takes its time to end once it is asked to, and says when another one of the node is there meanwhile. */
const nodes = `
- id: plan
  bash: echo plan
- id: slow
  depends_on: [plan]
  bash: |
    mkdir lock || echo twice >> doubled
    trap 'for i in 1 2 3 4 5 6 7 8; do test $(wc -l < marks) -gt 1 && break; sleep 0.05; done; rmdir lock; exit 1' TERM
    echo begun >> marks
    test $(wc -l < marks) -gt 1 && exit 0
    while :; do sleep 0.02; done
- id: ok
  depends_on: [plan]
  approval: { message: "Good?", on_reject: { reopens: [plan], max_attempts: 3 } }
`;

test.each(["the same process", "another process"])(
  "a command whose node is opened again by an answer in %s ends before it begins again",
  async (where) => {
    const engine = await openTestEngine();
    const other = where === "another process" ? await engine.again() : engine;
    try {
      await engine.write(".archon/workflows/w.yaml", `name: w\ndescription: A case.\nnodes:${nodes}`);
      await engine.allow("w");
      const { context, caller, folder } = engine;
      const { run } = await start(context, caller, { workflow: "w", inputs: { user_message: "me" }, waitMs: 0 });
      const marks = (): number =>
        existsSync(join(folder, "marks")) ? readFileSync(join(folder, "marks"), "utf8").split("\n").length - 1 : 0;
      const asked = async (): Promise<Decision | undefined> =>
        Object.values((await other.context.runs.open(run)).state.decisions).find(({ status }) => status === "pending");
      const seen = async (): Promise<readonly (number | undefined)[]> => [marks(), (await asked())?.revision];
      await expect.poll(seen, { timeout: 10_000 }).toEqual([1, 1]);
      const { id: decision = "" } = (await asked()) ?? {};
      const person: Caller = { ...other.caller, holder: { kind: "person", name: "ada", session: "t" }, surface: "cli-terminal" };
      await answer(other.context, person, { run, decision, answer: "reject", revision: 1, relayed: false });
      await expect.poll(seen, { timeout: 10_000 }).toEqual([2, 2]);
      expect(existsSync(join(folder, "doubled"))).toBe(false);
    } finally {
      if (other !== engine) await other.close();
      await engine.close();
    }
  },
);
