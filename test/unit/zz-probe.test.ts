import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { start, gatherFacts, progress, next, describeCheck, reportCheck, journal, previewBatch, runBatch, waitForBatch } from "../../src/engine/index.ts";
import { openTestEngine } from "../support/test-engine.ts";
const root = join(import.meta.dirname, "../..");
test("probe", async () => {
  const workflow = "error-to-errorinfo-migration";
  const text = await readFile(join(root, "workflows", `${workflow}.workflow.yaml`), "utf8");
  const e = await openTestEngine({ [`.waymark/workflows/${workflow}.workflow.yaml`]: text });
  await cp(join(root, "examples/sample-al-app"), e.folder, { recursive: true });
  const { context, caller } = e;
  const p = await start(context, caller, { workflow });
  const run = p.run;
  console.log(JSON.stringify(await gatherFacts(context, run), null, 1).slice(0, 6000));
  console.log(JSON.stringify(p.standing), JSON.stringify(p.state.scopes.run.raw).slice(0, 3000));
  await progress(context, caller, { run, result: "label_route" });
  for (let i = 0; i < 4; i++) {
    const q = await next(context, caller, { run });
    console.log(JSON.stringify(q.standing).slice(0, 1500));
    const h = await context.runs.open(run);
    if (q.standing.kind === "action") console.log(JSON.stringify(await describeCheck(context, h, q.standing.action), null, 1));
    await reportCheck(context, caller, { run, status: i % 2 ? "completed" : "skipped", skipReason: "x" });
  }
  const h = await context.runs.open(run);
  const j = await journal(context, run, h.head - 12, 50);
  for (const r of j) console.log(r.position, r.cause, JSON.stringify(r.events).slice(0, 1200));
  await e.close();
});
