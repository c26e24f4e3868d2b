import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../test/support/test-engine.ts";
import { start } from "../../engine/index.ts";
import type { Session } from "../session.ts";
import { workflowOffers } from "./permission-offers.ts";

const opened: TestEngine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

const session = { world: { explain: async () => "" }, out: { line: () => undefined } } as unknown as Session;

async function open(command: string): Promise<TestEngine> {
  const step = `{ id: own, type: shell_command, command: ${command} }`;
  const text = `name: one\nsteps: [{ id: wait, type: user_message, message: "Ready?" }, ${step}]\n`;
  const engine = await openTestEngine({ ".waymark/workflows/one.yaml": text });
  opened.push(engine);
  return engine;
}

test.each([
  ["the same content is offered once", "make all", 1],
  ["other content is offered too", "make other", 2],
])("of an open run that was started from another checkout, %s", async (_name, command, offers) => {
  const [here, there] = [await open("make all"), await open(command)];
  await here.allow("one");
  const { run } = await start(here.context, here.caller, { workflow: "one" });
  const { program } = await there.context.catalog.loadValid("one");
  Object.assign(await here.context.runs.open(run), { program });
  await here.host.permissions.revoke((await here.context.catalog.load("one")).hash);
  expect(await workflowOffers(session, here.context, ["one"])).toHaveLength(offers);
});
