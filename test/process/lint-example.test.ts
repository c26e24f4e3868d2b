/** The example of the burn-down, through the built command: what its tools report is listed, worked off over MCP, and gone in the end. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { installTools } from "../support/lint-sample.ts";
import { readTree } from "../support/seed-examples.ts";
import { spawnClient, type TestClient } from "./mcp-client.ts";
import { openPackage, type Package } from "./mcp-package.ts";

let built: Package;
let client: TestClient | undefined;
afterEach(async () => {
  await client?.close();
  await built.close();
});

const example = join(import.meta.dirname, "../../examples/lint-burndown");

/** What a person would write, rule by rule. */
const fixes: Readonly<Record<string, (text: string) => string>> = {
  "eslint(no-debugger)": (text) => text.replace("  debugger;\n", ""),
  "eslint(use-isnan)": (text) => text.replace("total == NaN", "Number.isNaN(total)"),
  TS2322: (text) => text.replace('let total: number = "0"', "let total = 0").replace("total: string", "total"),
};

async function waymark(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ readonly code: number | string; readonly out: string }> {
  const child = built.start(args, env);
  const code = await child.ended;
  return { code, out: `${child.stdout()}${child.stderr()}` };
}

test("the example is scanned after a permission, worked off, and its tools report nothing in the end", async () => {
  built = await openPackage(await readTree(example));
  const { workspace } = built;
  await installTools(workspace);
  const refused = await waymark(["scan", "lint-burndown"]);
  expect(refused).toMatchObject({ code: 2, out: expect.stringContaining("waymark allow lint-burndown") });
  expect((await waymark(["allow", "lint-burndown", "--yes"], { WAYMARK_ALLOW_UNATTENDED: "1" })).code).toBe(0);
  const { out } = await waymark(["scan", "lint-burndown"]);
  expect(out.split("\n").filter((line) => line.startsWith("src/"))).toHaveLength(6);
  expect(out).toMatch(/src\/cart\.ts:8:7 +error +tsc\/TS2322 +Type 'string' is not assignable to type 'number'\./);

  client = await spawnClient(built.command(["mcp"]), "legacy");
  const { call } = client;
  const options = { tools: ["oxlint", "tsc"] };
  const session: string = (await call("workflow_start", { workflow_type: "lint-burndown", options })).data.session_id;
  const asked = (await call("workflow_next", { session_id: session })).data;
  let reply = await call(asked.next_call.tool, { ...asked.next_call.arguments, result: "review_by_file" });
  const seen: string[] = [];
  for (reply = await call("workflow_next", { session_id: session }); reply.data.next_action?.action === "convert_instance";) {
    const { next_action: action, next_call: next } = reply.data;
    seen.push(action.instance_type);
    const path = join(workspace, action.file);
    const text = await readFile(path, "utf8");
    await writeFile(path, (fixes[action.instance_type] ?? ((same) => same))(text));
    reply = await call(next.tool, { ...next.arguments, status: "completed" });
  }
  expect(seen.length, seen.join(", ")).toBeLessThanOrEqual(8);
  await call("workflow_complete", { session_id: session });
  const { progress } = (await call("workflow_status", { session_id: session })).data;
  expect(progress).toMatchObject({ instances_total: 6, instances_remaining: 0, instances_failed: 0 });
});
