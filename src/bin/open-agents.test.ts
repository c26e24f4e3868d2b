import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestHost } from "../../test/support/test-host.ts";
import { openAgents } from "./open-agents.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "waymark-agents-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** The accounts of two agents, of which a configuration names that of the second, for a user with this data folder. */
async function accounts(data: string, url: string | null): Promise<readonly string[]> {
  const env = { HOME: base, PATH: "", WAYMARK_DATA_HOME: join(base, data) };
  const { host, config } = await createTestHost(base, join(base, "bundled"), env);
  const configured = { shared: { command: ["x"], account: "team", from: "user" } } as const;
  const agents = openAgents({ config: { ...config, agents: configured, database: { ...config.database, url } }, host, env });
  const all = await agents.list();
  await host.close();
  return ["claude", "shared"].map((name) => all.find((each) => each.name === name)?.account ?? "");
}

test("an account that nobody named is this user's on this computer where others share the store", async () => {
  const [ada, adaAgain, grace] = [
    await accounts("ada", "postgres://h/d"),
    await accounts("ada", "postgres://h/d"),
    await accounts("grace", "postgres://h/d"),
  ];
  expect(ada).toEqual([expect.stringMatching(/^claude@.+-[0-9a-f]{8}$/), "team"]);
  expect(adaAgain).toEqual(ada);
  expect(grace[0]).not.toBe(ada[0]);
  expect(grace[1]).toBe("team");
});

test("in a folder an account has the name of its agent", async () => {
  expect(await accounts("ada", null)).toEqual(["claude", "team"]);
});
