import { rename } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { bundledMachine, openMachineWorld, type MachineWorld } from "../../../../test/support/machine-world.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { next, progress } from "../../../engine/index.ts";

let world: MachineWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

test("a report is refused while git cannot tell what was changed, and counts when it can", async () => {
  world = await openMachineWorld({ ...(await bundledMachine()), "README.md": "# x\n" });
  const { engine } = world;
  const run = await world.begin({ request: "Make slugs of titles" });
  const { standing } = await next(engine.context, engine.caller, { run });
  const action = standing.kind === "action" ? standing.action.id : "";
  const report = () => progress(engine.context, engine.caller, { run, action, result: reported("OK", "Specified.") });
  await rename(join(engine.folder, ".git"), join(engine.folder, "hidden"));
  await world.write("not-mine.txt", "x");
  await expect(report()).rejects.toMatchObject({ code: "MACHINE_GIT_FAILED" });
  await rename(join(engine.folder, "hidden"), join(engine.folder, ".git"));
  await expect(report()).rejects.toMatchObject({ code: "MACHINE_REPORT_REFUSED", message: expect.stringContaining("not-mine.txt") });
});
