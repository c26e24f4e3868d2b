/** A jump ahead and back again: nothing after the place that was returned to is left out. */
import { afterEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";
import { answer } from "../../../engine/index.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});

async function jump({ call, engine, person }: SeedBot, tool: string): Promise<void> {
  const { run_id: run, decision_id: decision } = (await call(tool)).data.data;
  await answer(engine.context, person, { run, decision, answer: "go", relayed: false });
}

test.each(["small_bot_build_check", "small_bot_build_render", "small_bot_build_tool"])(
  "after %s and a jump back, every action is handed out",
  async (ahead) => {
    const by = await openSeedBot({ files: smallBot({}, { done_by: "relay" }) });
    bot = by;
    await by.call("small_bot_tool", { project_area: "docs" });
    await jump(by, ahead);
    expect((await by.call("small_bot_tool")).data).toMatchObject({ behavior: "build" });
    await jump(by, "small_bot_shape_gather");
    const seen: string[] = [];
    for (let at = (await by.call("small_bot_tool")).data; at.status === "started" && seen.length < 20;) {
      seen.push(`${at.behavior}.${at.action}`);
      at = (await by.call("small_bot_close_current_action", { action: at.data.action_id, summary: "Done." })).data.next;
    }
    const actions = ["gather", "render", "check"];
    expect(seen).toEqual(["shape", "build"].flatMap((behaviour) => actions.map((action) => `${behaviour}.${action}`)));
  },
);
