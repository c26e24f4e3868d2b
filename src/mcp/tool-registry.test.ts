import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { isWaymarkError } from "../base/index.ts";
import { dialectTools } from "../../test/support/all-dialects.ts";
import { plainToolName } from "./create-mcp-server.ts";
import { serverInstructions } from "./prompts.ts";
import { allTools, describeTool, toolsets, toolsOf } from "./tool-registry.ts";

const all = allTools(dialectTools);
const golden = join(import.meta.dirname, "../../test/golden/tools.json");

const tokens = (names: readonly string[]): number =>
  toolsOf(dialectTools, names)
    .map(describeTool)
    .reduce((sum, { name, description, inputSchema }) => sum + encode(JSON.stringify({ name, description, inputSchema })).length, 0);

describe("the list of tools", () => {
  test("the default list costs at most 1,800 tokens, well under its budget of 2,000", () => {
    expect(tokens([])).toBeLessThanOrEqual(1800);
  });

  test("everything together stays affordable", () => {
    expect(tokens(["all"])).toBeLessThanOrEqual(3300);
  });

  test("every name is accepted by every client, and none is used twice", () => {
    const names = all.map((tool) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]{2,40}$/);
  });

  test("the first sentence of each description stands alone", () => {
    for (const { name, description } of all) {
      const [first = ""] = description.split(/(?<=[.])\s/);
      expect(first, name).toMatch(/^[A-Z][^.]{20,160}\.$/);
    }
  });

  test("all four annotations are explicit, and only reading tools say they read", () => {
    for (const tool of all) {
      const { annotations } = describeTool(tool);
      expect(Object.keys(annotations).sort()).toEqual(["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]);
      expect(annotations.openWorldHint).toBe(false);
      expect(annotations.destructiveHint).toBe(["workflow_abort", "workflow_cancel"].includes(tool.name));
    }
    const reading = all.filter((tool) => tool.reads).map((tool) => tool.name);
    expect(reading).not.toContain("workflow_next");
    expect(reading).toContain("workflow_status");
  });

  test("the entry tools ask to be loaded at once", () => {
    const loaded = all.filter((tool) => describeTool(tool)._meta?.["anthropic/alwaysLoad"] === true).map((tool) => tool.name);
    expect(loaded).toEqual(["workflow_start", "workflow_next", "workflow_progress", "workflow_complete"]);
  });

  test("the instructions stay under one kilobyte", () => {
    const workspace = "/home/ada/projects/example";
    expect(Buffer.byteLength(serverInstructions(workspace, dialectTools))).toBeLessThan(1024);
    expect(serverInstructions(workspace, dialectTools)).toContain(`\nWorkspace: ${workspace}`);
  });
});

test("names, descriptions, schemas and annotations are what was published", () => {
  const now = `${JSON.stringify(
    all.map((tool) => ({ toolsets: tool.toolsets, ...describeTool(tool) })),
    null,
    2,
  )}\n`;
  if (process.env["UPDATE"] === "1") {
    mkdirSync(dirname(golden), { recursive: true });
    writeFileSync(golden, now);
  }
  expect(JSON.parse(now)).toEqual(JSON.parse(readFileSync(golden, "utf8")));
});

describe("toolsets", () => {
  test("the canonical tools are always there", () => {
    const canonical = toolsOf(dialectTools, []).map((tool) => tool.name);
    expect(canonical).toEqual([
      "workflow_list",
      "workflow_route",
      "workflow_info",
      "workflow_start",
      "workflow_next",
      "workflow_progress",
      "workflow_status",
      "workflow_batch",
      "workflow_complete",
      "workflow_decide",
      "workflow_resume",
      "workflow_retry",
      "workflow_abort",
      "workflow_checkpoint",
      "workflow_tell",
    ]);
    expect(toolsOf(dialectTools, ["default"]).map((tool) => tool.name)).toEqual(canonical);
    expect(toolsOf(dialectTools, ["state"]).map((tool) => tool.name)).toEqual([
      ...canonical,
      "workflow_state_read",
      "workflow_state_update",
      "workflow_state_dependencies",
    ]);
  });

  test("all is everything", () => {
    expect(toolsOf(dialectTools, ["all"])).toEqual(all);
  });

  test("an unknown one is refused with the names there are", () => {
    let caught: unknown;
    try {
      toolsOf(dialectTools, ["stat"]);
    } catch (error) {
      caught = error;
    }
    expect(isWaymarkError(caught) ? [caught.code, caught.message] : caught).toEqual([
      "MCP_UNKNOWN_TOOLSET",
      "There is no toolset `stat`. Did you mean `state`? There are `default`, `state`, `debug`, `seed`, `knowledge`, `bots`, `bots-compact` and `all`.",
    ]);
    expect(toolsets(dialectTools).map((entry) => entry.name)).toEqual([
      "default",
      "state",
      "debug",
      "seed",
      "knowledge",
      "bots",
      "bots-compact",
      "all",
    ]);
  });
});

test("dotted spellings lead to the same tools", () => {
  expect(plainToolName("workflow.get_next_step")).toBe("workflow_get_next_step");
  expect(plainToolName("workflow_state.update")).toBe("workflow_state_update");
});
