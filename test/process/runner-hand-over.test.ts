/** One run that an agent over MCP, a runner, a person and another runner work on, one after the other. */
import { readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { oldCalls } from "../support/checklist-sample.ts";
import { openDrivenPackage, type DrivenPackage, type FakeScript } from "../support/driven-package.ts";
import { lookInto } from "../support/look-into.ts";
import { spawnClient } from "./mcp-client.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const ids = '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"';
const report = (given: object) => ({ call: { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", ...given } } });
const ctrlC = { signal: "SIGINT" };

/** A runner that does one step and is interrupted in it, then one that works to the end. */
const runners = (match: string, ...work: readonly object[]): Record<string, { readonly script: FakeScript }> => ({
  brief: { script: [{ match, do: [ctrlC, ...work] }] },
  lasting: { script: [{ match, do: work }] },
});

/** Steps that were reported, each with who did it, as the journal has them. */
async function reported(run: string): Promise<readonly (readonly [step: string, by: string])[]> {
  const steps = new Map<string, string>();
  const done: [string, string][] = [];
  for (const { events, by } of await built.journal(run)) {
    for (const { type, action, how } of events) {
      if (type === "action_opened") steps.set(action.id, action.step);
      if (type === "action_closed" && how !== "taken_over") done.push([steps.get(action) ?? "", `${by.name} (${by.surface})`]);
    }
  }
  return done;
}

/** The four of them, each with its own part of the work; what is told at the end of each is checked where nobody else would notice. */
async function handOver(
  workflow: string,
  work: { readonly client: () => Promise<object>; readonly person: () => Promise<readonly string[]> },
) {
  const mcp = await spawnClient(built.command(["mcp"]), "legacy");
  const started = (await mcp.call("workflow_start", { workflow })).data;
  const run = started.run_id as string;
  const { tool, arguments: args } = started.next_call;
  expect((await mcp.call(tool, { ...args, ...(await work.client()) })).isError).toBe(false);
  await mcp.close();
  const brief = await built.waymark(["drive", run, "--agent", "brief"]);
  expect([brief.code, brief.stderr]).toEqual([4, ""]);
  expect((await built.waymark(["next", run])).code).toBe(0);
  expect((await built.waymark(["done", run, ...(await work.person())])).code).toBe(0);
  const lasting = await built.waymark(["drive", run, "--agent", "lasting"]);
  expect([lasting.code, lasting.stderr, lasting.stdout]).toEqual([0, "", expect.stringContaining(`Run ${run} is complete.`)]);
  return run;
}

const [byClient, byBrief, byPerson, byLasting] = [
  "test-client/1.2.3 (mcp-stdio)",
  "brief (runner)",
  `${userInfo().username} (cli)`,
  "lasting (runner)",
];

test("a workflow of steps: one history, every step once, each by who did it", async () => {
  const names = ["s1", "s2", "s3", "s4", "s5"];
  const steps = names.map(
    (id) => `  - { id: ${id}, type: agent_shell_command, command: "make ${id}", state_update: { path: raw.${id} } }\n`,
  );
  built = await openDrivenPackage(
    { ".waymark/workflows/hand__over.yaml": `name: hand:over\ndescription: d\nversion: "1.0.0"\nsteps:\n${steps.join("")}` },
    { agents: runners(`make (?<step>s\\d)[^]*${ids}`, report({ result: "$<step> by an agent" })), allow: ["hand:over"] },
  );
  const run = await handOver("hand:over", {
    client: async () => ({ result: "s1 by a client" }),
    person: async () => ["--result", "s3 by a person"],
  });
  expect(await reported(run)).toEqual([
    ["s1", byClient],
    ["s2", byBrief],
    ["s3", byPerson],
    ["s4", byLasting],
    ["s5", byLasting],
  ]);
  const { state } = JSON.parse((await lookInto(built, ["state", run, "--json"])).stdout) as { state: object };
  expect(Object.values(state)).toEqual(
    ["client", "agent", "person", "agent", "agent"].map((who, at) => `s${at + 1} by a${who === "agent" ? "n" : ""} ${who}`),
  );
  expect(await built.prompts()).toHaveLength(3);
});

test("a checklist: every place once, each by who did it", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const match = `convert_instance (?<file>\\S+?):\\d[^]*?\\nold\\((?<args>.*)\\)[^]*${ids}`;
  built = await openDrivenPackage(
    {
      ".waymark/workflows/old-calls.workflow.yaml": oldCalls.replace(/.*batch_auto.*\n/, ""),
      ...Object.fromEntries(names.map((name) => [`${name}.js`, `old(${name}, 1);\n`])),
    },
    {
      agents: runners(match, { write: { file: "$<file>", text: "fresh($<args>);\n" } }, report({ status: "completed" })),
      allow: ["old-calls"],
    },
  );
  const convert = (name: string) => writeFile(join(built.workspace, `${name}.js`), `fresh(${name}, 1);\n`);
  const run = await handOver("old-calls", {
    client: async () => (await convert("a"), { status: "completed" }),
    person: async () => (await convert("c"), []),
  });
  const done = await reported(run);
  expect(done.map(([, by]) => by)).toEqual([byClient, byBrief, byPerson, byLasting, byLasting, byLasting]);
  expect(new Set(done.map(([step]) => step)).size).toBe(6);
  expect(done.at(-1)?.[0]).toBe("complete_workflow");
  const texts = await Promise.all(names.map((name) => readFile(join(built.workspace, `${name}.js`), "utf8")));
  expect(texts).toEqual(names.map((name) => `fresh(${name}, 1);\n`));
  expect(await built.prompts()).toHaveLength(3);
});
