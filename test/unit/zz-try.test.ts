import { test } from "vitest";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openBot, callBot, next, report } from "../../src/engine/index.ts";
import { smallBot } from "../support/bot-sample.ts";
import { openTestEngine } from "../support/test-engine.ts";
test("x", async () => {
  const e = await openTestEngine(smallBot());
  await mkdir(join(e.folder, "area"));
  const p = await openBot(e.context, e.caller, "small_bot", { project_area: "area" });
  const s = p.state;
  console.log(JSON.stringify({ strands: s.strands, actions: s.actions, lists: s.lists, scopes: s.scopes }, null, 1).slice(0, 6000));
  await e.close();
});
