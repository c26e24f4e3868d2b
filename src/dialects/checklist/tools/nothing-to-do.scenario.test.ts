import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../../../../test/process/mcp-client.ts";
import { dialectTools } from "../../../../test/support/all-dialects.ts";
import { oldCalls } from "../../../../test/support/checklist-sample.ts";
import { describeTool, toolsOf } from "../../../mcp/tool-registry.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const app = '{ "runtime": "13.0", "preprocessorSymbols": ["OWN"] }';
const skipped = { status: "skipped", skip_reason: "Looked at; it stays." };

/** Skips what is handed out; answers what that was. */
async function handedOut(call: TestClient["call"], first: ToolReply): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let reply = first; reply.data.next_action.action === "convert_instance";) {
    const { file, line, match_text: text } = reply.data.next_action;
    seen.push(`${file}:${line} ${text}`);
    reply = await call("workflow_progress", { ...reply.data.next_call.arguments, ...skipped });
    expect(reply.isError, reply.text).toBe(false);
  }
  return seen;
}

test("an empty Error is settled by the engine with its reason, listed in reply and report, and a flag opens it again", async () => {
  const lines = ["Error('');", "Error('');", "Error(GetReason());"].map((line) => `        ${line}`);
  const text = ["codeunit 50100 A", "{", "    procedure P()", "    begin", ...lines, "    end;", "}", ""].join("\n");
  const quiet = text.replace("        Error(GetReason());\n", "");
  world = await openChecklistWorld({
    workflows: ["error-to-errorinfo-migration"],
    files: { "app.json": app, "src/a.al": text, "src/b.al": quiet },
  });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow_type: "error-to-errorinfo-migration" });
  const session_id: string = started.data.session_id;
  expect(started.data.analysis_summary).toMatchObject({
    total_instances: 5,
    settled_by_engine: { instances: 4, how: expect.stringContaining("filter.status settled") },
    by_type: { literal: { count: 4, settled_by_engine: 4 } },
  });
  expect(started.text).toContain("4 settled by the engine");
  expect(started.data.next_action.instruction).toContain("1 instance found");
  expect(await handedOut(call, await call("workflow_progress", { session_id, answer: "review_by_file" }))).toEqual([
    "src/a.al:7 Error(GetReason())",
  ]);
  const listed = await call("workflow_batch", { session_id, operation: "group_by_type", filter: { status: "settled" } });
  expect(listed.data.groups).toEqual([
    expect.objectContaining({ count: 4, text: "Error('')", instance_type: "literal", precise_type: "silent_abort" }),
  ]);
  const dry = await call("workflow_batch", {
    session_id,
    operation: "flag_for_review",
    reason: "look again",
    filter: { status: "settled", file_patterns: ["src/b.al"] },
  });
  const flagged = await call("workflow_batch", dry.data.later.arguments);
  expect(flagged.data.result).toMatchObject({ instances_previewed: 2, instances_modified: 2 });
  expect(await handedOut(call, await call("workflow_next", { session_id }))).toEqual(["src/b.al:5 Error('')", "src/b.al:6 Error('')"]);
  const report = await call("workflow_complete", { session_id });
  expect(await readFile(report.data.report_path, "utf8")).toMatch(
    /## Settled by the engine, with reasons[\s\S]*src\/a\.al[^\n]*ends the execution without a message/,
  );
  expect(report.data.summary).toMatchObject({ instances_skipped: 5, instances_converted: 0 });
  await expectSound(world.engine.context, session_id);
});

test("Labels that the chosen way keeps are settled by the engine", async () => {
  const text = [
    "codeunit 50100 A",
    "{",
    "    procedure P()",
    "    begin",
    "        Error(AErr);",
    "        Error(BErr, 1);",
    "        Error('Text');",
    "    end;",
    "",
    "    var",
    "        AErr: Label 'A';",
    "        BErr: Label 'B %1';",
    "}",
    "",
  ].join("\n");
  world = await openChecklistWorld({ workflows: ["error-to-errorinfo-migration"], files: { "app.json": app, "src/a.al": text } });
  const { call } = await world.client();
  const { session_id } = (await call("workflow_start", { workflow_type: "error-to-errorinfo-migration" })).data;
  expect(await handedOut(call, await call("workflow_progress", { session_id, answer: "label_route" }))).toEqual([
    "src/a.al:7 Error('Text')",
  ]);
  const done = await call("workflow_complete", { session_id });
  expect(done.data.report.match(/Its text is a Label already, which the chosen way keeps/g)).toHaveLength(2);
});

/** The old codeunit in one branch, what took its place in the other. */
const guarded = (condition: string, old: readonly string[], fresh: readonly string[]): string =>
  [`#if ${condition}`, ...old, ...(fresh.length === 0 ? [] : ["#else", ...fresh]), "#endif"].join("\n");

const codeunit = (...parts: readonly string[]): string =>
  ["codeunit 50100 A", "{", "    procedure P()", "    var", ...parts, "    end;", "}", ""].join("\n");

const oldName = "        M: Codeunit NoSeriesManagement;";
const newName = '        N: Codeunit "No. Series";';
const taken = "        X := M.GetNextNo(S, D, true);";

test("what the symbols of the target version exclude, and what the other branch has converted, is not handed out", async () => {
  const files = {
    "app.json": app,
    // The target version has CLEAN24; with OWN of the app.json the old one is gone too.
    "src/clean.al": codeunit(
      guarded("not CLEAN24", [oldName], [newName]),
      "    begin",
      guarded("not CLEAN24", [taken], ["        X := N.GetNextNo(S, D);"]),
    ),
    "src/own.al": codeunit(guarded("OTHER and not OWN", [oldName], []), "    begin", guarded("CLEAN25 or not (OWN)", [taken], [])),
    // Nobody knows OTHER: its other branch is converted, so that experts have done it.
    "src/other.al": codeunit(
      guarded("not OTHER", [oldName], [newName]),
      "    begin",
      guarded("not OTHER", [taken], ["        X := N.GetNextNo(S, D);"]),
      guarded("not OTHER", ["        M.SetSeries(S);"], []),
    ),
    // CLEAN25 comes after the target, and nothing is converted here.
    "src/open.al": codeunit(guarded("not CLEAN25", [oldName], []), "    begin", guarded("not CLEAN25", [taken], [])),
  };
  world = await openChecklistWorld({ workflows: ["bc-version-upgrade"], files });
  const { call } = await world.client();
  const options = { source_version: "BC23", target_version: "BC24" };
  const started = await call("workflow_start", { workflow_type: "bc-version-upgrade", options });
  const session_id: string = started.data.session_id;
  expect(started.data.analysis_summary).toMatchObject({ total_instances: 9, settled_by_engine: { instances: 7 } });
  const seen = await handedOut(call, await call("workflow_progress", { session_id, answer: "review_by_file" }));
  expect(seen.map((each) => each.replace(/ .*/, ""))).toEqual(["src/open.al:6", "src/open.al:10"]);
  const report = (await readFile((await call("workflow_complete", { session_id })).data.report_path, "utf8")).replaceAll("\\`", "`");
  expect(report).toContain("This branch of `#if not CLEAN24` is not compiled for BC24.");
  expect(report).toContain("This branch of `#if OTHER and not OWN` is not compiled for BC24.");
  expect(report).toContain("The other branch of its `#if` uses the new codeunit already.");
});

test("the same for the identical ones is offered in the reply and in the schema, and does it", async () => {
  const definitions = { ".waymark/workflows/old-calls.workflow.yaml": oldCalls };
  world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": "old(x);\nold(x);\n", "b.js": "old(x);\nold(y);\n" } });
  const { call } = await world.client();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  const first = await call("workflow_progress", { session_id, answer: "review_by_file" });
  expect(first.data.fill_in.identical).toBe("true to skip the 2 others with the same text too");
  expect(first.text).toContain("`identical`");
  const published = toolsOf(dialectTools, []).find(({ name }) => name === "workflow_progress");
  expect(published === undefined ? {} : describeTool(published).inputSchema).toHaveProperty("properties.identical");
  const next = await call("workflow_progress", { ...first.data.next_call.arguments, ...skipped, identical: true });
  expect(next.data.next_action.match_text).toBe("old(y)");
  expect(next.data.fill_in).not.toHaveProperty("identical");
});
