/**
 * The bundled burn-down over MCP, as a client of the built package sees it: 200 findings of oxlint and the TypeScript compiler are planted, and one
 * in each file that a tool fixes itself. The agent lies about a third of its fixes. Every finding ends as fixed or with a reason, and the batch
 * is undone byte for byte.
 */
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { spawnClient, type TestClient, type ToolReply } from "../process/mcp-client.ts";
import { openPackage, type Package } from "../process/mcp-package.ts";
import { fixLine, installTools, installVarLinter, plantedFiles } from "../support/lint-sample.ts";
import { readTree } from "../support/seed-examples.ts";

let built: Package;
let client: TestClient | undefined;
afterEach(async () => {
  await client?.close();
  await built.close();
});

interface Row {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly status?: string;
  readonly reason?: string;
}

const count = { calls: 0, characters: 0, longest: 0 };

async function call(name: string, args: Record<string, unknown>): Promise<ToolReply> {
  const reply = await client!.call(name, args);
  expect(reply.isError, `${name} ${JSON.stringify(args)}: ${reply.text}`).toBe(false);
  count.calls += 1;
  count.characters += reply.text.length;
  return reply;
}

/** Files of the workspace without what is installed and what Waymark keeps. */
async function sources(): Promise<Record<string, string>> {
  const all = await readTree(join(built.workspace, "src"));
  return all;
}

test("200 planted findings, an agent that lies about a third: none left, or a reason each; the batch is undone byte for byte", async () => {
  built = await openPackage(plantedFiles(20, 10));
  const { workspace } = built;
  await installTools(workspace);
  await installVarLinter(workspace);
  const allowed = built.start(["allow", "lint-burndown", "--yes"], { WAYMARK_ALLOW_UNATTENDED: "1" });
  expect(await allowed.ended, allowed.stderr()).toBe(0);
  client = await spawnClient(built.command(["mcp"]), "legacy");

  const started = await call("workflow_start", { workflow_type: "lint-burndown" });
  const session: string = started.data.session_id;
  await answer("all");
  const analysed = await answer("apply_auto_first");
  const { preview, later, later: dry } = (await call("workflow_batch", { session_id: session, operation: "apply_fixes", filter: {} })).data;
  expect(preview).toMatchObject({ instances_affected: 20, files_affected: 20, by_instance_type: { "no-var": 20 } });
  expect(analysed.isError).toBe(false);

  const before = await sources();
  const { result } = (await call("workflow_batch", dry.arguments)).data;
  expect(result).toMatchObject({ instances_modified: 20, instances_failed: 0 });
  const after = await sources();
  expect(Object.keys(after).filter((path) => after[path] !== before[path])).toHaveLength(20);
  await call("workflow_batch", { session_id: session, operation: "undo" });
  expect(await sources()).toEqual(before);
  expect(later).toBeDefined();

  const lies = { told: 0, reports: 0 };
  let seed = 7;
  const lucky = (): boolean => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648 < 1 / 3;
  };
  for (let reply = await call("workflow_next", { session_id: session }); ;) {
    const { next_action: action, next_call: next } = reply.data;
    if (action?.action !== "convert_instance") break;
    count.longest = Math.max(count.longest, reply.text.length);
    lies.reports += 1;
    if (lucky()) lies.told += 1;
    else await fixLine(workspace, action.file, action.line);
    reply = await call(next.tool, { ...next.arguments, status: "completed" });
  }
  const finished = await call("workflow_complete", { session_id: session });
  const status = (await call("workflow_status", { session_id: session })).data;
  const { instances_total: total, instances_completed: fixed, instances_failed: failed, instances_skipped: skipped } = status.progress;
  const instances = built.start(["items", session, "--json"]);
  expect(await instances.ended, instances.stderr()).toBe(0);
  const rows = JSON.parse(instances.stdout()) as readonly Row[];
  const left = rows.filter(({ status: became }) => became !== "completed");
  expect(left.every(({ status: became, reason }) => became === "failed" && /still reports it after 3 reports/.test(reason ?? ""))).toBe(
    true,
  );
  expect(fixed + failed).toBe(220);
  expect([total, skipped, failed]).toEqual([220, 0, left.length]);
  const scan = built.start(["scan", "lint-burndown", "--json"]);
  expect(await scan.ended, scan.stderr()).toBe(0);
  // What the tools report in the end is what failed, place by place.
  const reported = (JSON.parse(scan.stdout()) as { readonly findings: readonly Row[] }).findings;
  const placeOf = ({ file, line, rule }: Row): string => `${file}:${line} ${rule}`;
  expect(reported.map(placeOf).toSorted()).toEqual(left.map(placeOf).toSorted());
  process.stdout.write(
    `lint-burndown: ${total} findings, ${lies.told} lies in ${lies.reports} reports: ${fixed} fixed, ${failed} failed with a reason; ` +
      `${count.calls} calls, about ${Math.round(count.characters / 4)} tokens, at most ${Math.round(count.longest / 4)} for one instance\n`,
  );
  expect(finished.isError).toBe(false);

  async function answer(choice: string): Promise<ToolReply> {
    const { next_action: asked, next_call: next } = (await call("workflow_next", { session_id: session })).data;
    expect(asked.options.map(({ id }: { id: string }) => id)).toContain(choice);
    return call(next.tool, { ...next.arguments, result: choice });
  }
}, 600_000);
