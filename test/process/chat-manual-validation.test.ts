/** The requests of the seed's levels of validation 3 to 5, to the built command, with a scripted agent in the place of a model. */
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { SqliteConnection } from "../../src/store/sqlite/sqlite-connection.ts";
import { openDrivenPackage, type DrivenPackage } from "../support/driven-package.ts";
import { createTestDatabase } from "../support/postgres-database.ts";
import { testAdapterOf, type TestAdapterClient } from "../support/test-adapter-client.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const bundled = join(import.meta.dirname, "../../workflows");
const text = (path: string): string => readFileSync(join(bundled, path), "utf8");
/** The seed's example, in the places where the seed has it. */
const files: Readonly<Record<string, string>> = {
  ".archon/workflows/feature-development.yaml": text("feature-development.yaml"),
  ...Object.fromEntries(
    readdirSync(join(bundled, "steps"))
      .filter((name) => ["plan.md", "implement.md", "create-pr.md"].includes(name))
      .map((name) => [`.archon/steps/${name}`, text(`steps/${name}`)]),
  ),
};

interface TestedStore {
  readonly args: readonly string[];
  readonly select: (sql: string) => Promise<readonly object[]>;
  readonly drop: () => Promise<void>;
}

const stores: Readonly<Record<string, () => Promise<TestedStore>>> = {
  SQLite: async () => ({
    args: [],
    select: async (sql) => {
      const db = new SqliteConnection({ file: join(built.workspace, ".waymark/store/waymark.db"), readonly: true, patienceMs: 0 });
      try {
        return await db.read(() => db.all<object>(sql).map((row) => ({ ...row })));
      } finally {
        db.close();
      }
    },
    drop: async () => undefined,
  }),
  PostgreSQL: async () => {
    const { url, query, drop } = await createTestDatabase();
    return { args: ["--store", url], select: (sql) => query(sql), drop };
  },
};

/** Takes part in every step; in the middle of the second one it kills who started it, the first time. */
async function open(): Promise<void> {
  const dying = { signal: "SIGKILL", once: "" };
  built = await openDrivenPackage(files, {
    agents: { claude: { script: [], models: { sonnet: "large" } } },
    allow: ["feature-development"],
    people: { "test:local": { name: "curl", may: ["start"] } },
  });
  const script = [
    { match: "Implement", do: [{ ...dying, once: built.beside("killed") }, { say: "I implemented it." }] },
    { match: "", do: [{ say: "I did it." }] },
  ];
  await writeFile(built.beside("claude.json"), JSON.stringify(script));
}

async function serve(args: readonly string[]): Promise<TestAdapterClient & { readonly ended: Promise<number | string> }> {
  const child = built.start(["chat", "--test-adapter", "0", ...args]);
  return { ...(await testAdapterOf(child)), ended: child.ended };
}

test.each(Object.keys(stores))(
  "the list names the workflow with its steps, and a request ends in its completion, over a kill: %s",
  async (name) => {
    await open();
    const { args, select, drop } = await stores[name]!();
    onTestFinished(drop);
    const first = await serve(args);
    const listed = { conversationId: "test-wf", message: "/workflow list" };
    expect(await first.post("test-wf", "/workflow list")).toEqual({ status: 200, body: { success: true, ...listed } });
    await expect.poll(() => first.messages("test-wf"), { timeout: 60_000 }).toHaveLength(1);
    const [list = ""] = await first.messages("test-wf");
    expect(list).toMatch(/^Available Workflows:\n\n/);
    expect(list).toContain("**feature-development**\n  Build a feature from plan to PR. Use when user wants to add new functionality.\n");
    expect(list).toContain("\n  Steps: plan → implement → create-pr\n");

    const request = "Build a dark mode feature";
    expect((await first.post("test-wf", request)).body).toEqual({ success: true, conversationId: "test-wf", message: request });
    const last = async (): Promise<string> => (await first.messages("test-wf").catch(() => ["killed"])).at(-1) ?? "";
    await expect.poll(last, { timeout: 120_000 }).toMatch(/^killed$|Workflow failed/);
    expect(await first.ended).toBe("SIGKILL");

    const second = await serve(args);
    const complete = "**Workflow complete**: feature-development";
    await expect.poll(() => second.messages("test-wf"), { timeout: 120_000 }).toContain(complete);
    const after = await second.messages("test-wf");
    // What was being sent at the kill may come again.
    const shown = after.filter((message) => message.startsWith("**") && message !== "**Step 2/3**: implement");
    expect(shown).toEqual(["**Step 3/3**: create-pr", complete]);
    expect(await second.get("/health")).toEqual({ status: "ok" });
    expect(await second.get("/health/db")).toEqual({ status: "ok", database: "connected" });
    expect(await second.get("/health/concurrency")).toEqual({ status: "ok", active: 0, queuedTotal: 0, maxConcurrent: 10 });

    const rows = await select("SELECT * FROM remote_agent_workflow_runs LIMIT 1;");
    expect(rows).toMatchObject([
      { workflow_name: "feature-development", status: "completed", user_message: request, current_step_index: 3 },
    ]);
    const [count = {}] = await select("SELECT COUNT(*) FROM remote_agent_workflow_runs;");
    expect(Object.values(count).map(Number)).toEqual([1]);
  },
);
