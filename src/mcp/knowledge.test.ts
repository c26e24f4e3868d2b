import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient } from "../../test/process/mcp-client.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../test/support/checklist-world.ts";
import { wholeData } from "../../test/support/whole-data.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function open(toolsets: readonly string[] = []): Promise<TestClient> {
  world = await openChecklistWorld({ workflows: [], sample: "sample-al-app" });
  return world.client({ toolsets });
}

describe("the tools of the knowledge toolset", () => {
  test("are listed on request only, and answer where they are not listed, also read-only", async () => {
    const { client, call } = await open();
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("analyze_al_code");
    expect((await call("retrieve_bc_knowledge", { topic_id: "performance/setloadfields" })).isError).toBe(false);
    const listed = await world?.client({ toolsets: ["knowledge"] });
    const names = (await listed?.client.listTools())?.tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["analyze_al_code", "analyze_code", "retrieve_bc_knowledge", "retrieve_knowledge", "ask_bc_expert"]),
    );
    expect((await call("ask_bc_expert", { question: "How are messages translated?" })).isError).toBe(false);
  });

  test("code is analysed as text, by path, by several paths and by folder", async () => {
    const { call } = await open();
    const code = await readFile(`${world?.folder ?? ""}/src/Codeunits/LoyaltyPost.Codeunit.al`, "utf8");
    const text = await call("analyze_al_code", { code, analysis_type: "performance", suggest_workflows: true });
    const path = await call("analyze_al_code", {
      file_path: `${world?.folder ?? ""}/src/Codeunits/LoyaltyPost.Codeunit.al`,
      analysis_type: "performance",
    });
    expect(path.data.issues).toEqual(text.data.issues);
    expect(path.data.file).toBe("src/Codeunits/LoyaltyPost.Codeunit.al");
    const several = await call("analyze_al_code", {
      file_paths: ["src/Codeunits/LoyaltyPost.Codeunit.al", "src/Codeunits/LoyaltyImport.Codeunit.al"],
    });
    expect(several.data.files_analyzed).toBe(2);
    expect(several.data.workflow_integration.expand_checklist_payload[0]).toMatchObject({
      topic_id: expect.any(String),
      relevance_score: expect.any(Number),
    });
    const folder = await call("analyze_code", { workspace_path: "src/Tables" });
    expect(folder.data.files_analyzed).toBe(6);
    expect(JSON.stringify(folder.raw).length).toBeLessThan(8000);
  });

  test.each([
    [{}, "exactly one of"],
    [{ code: "x", file_path: "a.al" }, "exactly one of"],
    [{ file_path: "src/Gone.al" }, "cannot be read"],
    [{ file_path: "../../etc/passwd" }, "cannot be read"],
    [{ file_paths: [] }, "must not be empty"],
    [{ workspace_path: "nowhere" }, "leads to nothing"],
    [{ code: "x", analysis_type: "deep" }, "must be one of"],
  ])("%j is refused", async (args, said) => {
    const { call } = await open();
    const reply = await call("analyze_al_code", args);
    expect(reply.isError, reply.text).toBe(true);
    expect(reply.text).toContain(said);
  });

  test("a lookup never comes back empty, and a question is answered from topics with whose field it is", async () => {
    const { call } = await open();
    expect((await call("retrieve_knowledge", { topic_id: "setloadfields" })).data).toMatchObject({
      match: "name",
      topic_id: "performance/setloadfields",
    });
    expect((await call("retrieve_knowledge", {})).data).toMatchObject({ match: "list", groups: expect.any(Array) });
    const long = await call("retrieve_knowledge", { topic_id: "guides/bc24-no-series-conversion-guide", include_related: true });
    expect(JSON.stringify(long.raw).length).toBeLessThan(8000);
    expect(JSON.stringify(await wholeData(call, long))).toContain("GetNextNo");
    const advice = await call("ask_bc_expert", { question: "How do I collect several errors?", preferred_specialist: "eva-errors" });
    expect(advice.data).toMatchObject({
      answered_from: "topics",
      specialists: [{ specialist_id: "eva-errors" }],
      topics: expect.arrayContaining([expect.objectContaining({ topic_id: "errors/collectible-errors" })]),
    });
  });
});
