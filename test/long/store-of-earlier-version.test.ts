/** A store that an earlier version made goes through every command of this one, and nothing that was acknowledged then is lost. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf, type JsonObject } from "../../src/base/index.ts";
import { answerTo, followCalls, followLines, runAtTerminal } from "../support/earlier-driving.ts";
import { expectKept, expectSound, forEach } from "../support/earlier-kept.ts";
import { earlierVersions, openActions, restoreStore, type EarlierStore, type Said } from "../support/earlier-store.ts";
import { connect, makeClient, type TestClient } from "../process/mcp-client.ts";

/** Commands of the product that neither read nor write runs. */
const withoutStore = new Set(["help", "schema", "completion", "demo", "init", "config", "test", "scan", "list", "agents"]);
const exercised = new Set<string>();

const secret = "swordfish-7";
const machines = new Set(["role", "gate"]);
const isChecklist = ({ workspace }: Said): boolean => workspace === "review" || workspace === "batch";
/** What the rule of an instance was called then. */
const asNow = ({ pattern, ...item }: JsonObject): JsonObject => (pattern === undefined ? item : { ...item, rule: pattern });
const isOpen = ({ status }: Said): boolean => status.status === "running";

/** The question whether to leave the sequence, which only a person may answer. */
const jumpOf = ({ status }: Said): string => textOf(questionsOf(status).find(({ step }) => step === "jump.ask")?.["decision"] ?? "");
const questionsOf = ({ questions }: JsonObject): readonly JsonObject[] => questions as readonly JsonObject[];

describe.each(earlierVersions)("a store of %s", (version) => {
  describe("is read", () => {
    let store: EarlierStore;
    beforeAll(async () => {
      store = await restoreStore(version, exercised);
    });
    afterAll(() => store.close());

    test("with no complaint of doctor", () => expectSound(store), 300_000);

    test("as its own version showed it: status, state, journal", async () => {
      await forEach(store.said, async (said) => {
        const { workspace, run, place, status } = said;
        const shown = await store.json(workspace, ["status", run]);
        for (const key of ["workflow", "status", "started_at", "position", "notes", "budget", "warnings"])
          expect(shown[key], `${place}: ${key}`).toEqual(status[key]);
        // Questions say more than they did then.
        expect(shown, place).toMatchObject({ questions: status["questions"] });
        expect(await store.json(workspace, ["state", run, "--of", "run"]), place).toEqual(said.state);
        expect(await store.lines(workspace, ["journal", run, "--limit", "10000"]), place).toEqual(said.journal);
      });
    }, 600_000);

    test("with every item of its checklists, and their reports", async () => {
      await forEach(store.said.filter(isChecklist), async ({ workspace, run, place, items }) => {
        expect(await store.lines(workspace, ["items", run, "--kind", "all"]), place).toMatchObject(items.map(asNow));
        expect(await store.text(workspace, ["report", run]), place).toMatch(/^# /);
        expect(await store.json(workspace, ["export", run, "--format", "bc"]), place).toMatchObject({ run_id: run });
      });
    }, 300_000);

    test("by trace and export, with secrets masked", async () => {
      await forEach(store.said, async ({ workspace, run, place }) => {
        expect(await store.json(workspace, ["trace", run]), place).toMatchObject({ run_id: run });
        const whole = await store.text(workspace, ["export", run]);
        expect(whole, place).not.toContain(secret);
        expect(JSON.parse(whole), place).toMatchObject({ run_id: run });
      });
    }, 600_000);

    test("in lists of runs and of workflows", async () => {
      await forEach(store.workspaces, async (workspace) => {
        const own = store.said.filter((said) => said.workspace === workspace);
        const { runs } = await store.json<{ readonly runs: readonly JsonObject[] }>(workspace, ["runs", "--limit", "100"]);
        expect(new Map(runs.map(({ run_id: id, status }) => [id, status]))).toEqual(
          new Map(own.map(({ run, status }) => [run, status.status])),
        );
        expect((await store.text(workspace, ["status"])).match(/^wf-/gm) ?? []).toHaveLength(own.filter(isOpen).length);
        const workflow = own[0]?.status.workflow ?? "";
        expect(await store.json(workspace, ["info", workflow])).toMatchObject({ name: workflow });
        for (const words of [
          ["explain", workflow],
          ["validate", workflow],
          ["allow", "--list"],
        ])
          await store.text(workspace, words);
        const { workflows } = await store.json<{ readonly workflows: readonly JsonObject[] }>(workspace, ["list"]);
        if (workflows.some(({ source }) => source === "project")) await store.text(workspace, ["validate"]);
      });
    }, 300_000);

    test("after its items and snapshots are built again, as before", async () => {
      await forEach(store.workspaces, async (workspace) => {
        expect(await store.json(workspace, ["doctor", "--rebuild"]), workspace).toMatchObject({ problems: [] });
      });
      await forEach(store.said.filter(isChecklist), async ({ workspace, run, place, items }) => {
        expect(await store.lines(workspace, ["items", run, "--kind", "all"]), place).toMatchObject(items.map(asNow));
      });
    }, 300_000);

    test("over HTTP", async () => {
      const server = store.start("steps", ["serve", "--port", "0", "--json"]);
      const { file } = JSON.parse(await server.says(/\{[^{}]*"file"[^{}]*\}/)) as { file: string };
      const { mcp_url, agent_token } = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
      const requestInit = { headers: { authorization: `Bearer ${agent_token}` } };
      const client = await connect(makeClient("auto"), new StreamableHTTPClientTransport(new URL(mcp_url ?? ""), { requestInit }));
      for (const { run, status } of store.said.filter(({ workspace }) => workspace === "steps"))
        expect((await client.call("workflow_status", { run_id: run })).data).toMatchObject({ run_id: run, status: status.status });
      await client.close();
      server.process.kill("SIGTERM");
      expect(await server.ended).toBe(0);
    }, 120_000);

    test("and then a batch is undone, what is old and ended is pruned, and the rest is removed", async () => {
      const { workspace, run } = store.at("done and previewed batch");
      expect(await readFile(join(store.folder(workspace), "a.js"), "utf8")).toContain("fresh('one')");
      expect(await store.json(workspace, ["undo", run])).toMatchObject({ restored: ["a.js"] });
      expect(await readFile(join(store.folder(workspace), "a.js"), "utf8")).toBe("old('one');\nold('two');\nold(three);\n");
      await forEach(store.workspaces, async (each) => {
        const own = store.said.filter((said) => said.workspace === each);
        await store.json(each, ["prune", "--older-than", "30d"]);
        const left = (await store.text(each, ["runs", "--ids", "--limit", "100"])).split("\n").filter((id) => id !== "");
        expect(left.toSorted()).toEqual(
          own
            .filter(isOpen)
            .map((said) => said.run)
            .toSorted(),
        );
        expect(await store.json(each, ["doctor"]), each).toMatchObject({ problems: [], checked: left.length });
        await store.json(each, ["rm", ...left, "--yes"]);
        expect(await store.json(each, ["doctor"]), each).toMatchObject({ problems: [], checked: 0 });
      });
    }, 300_000);
  });

  describe("is driven on the command line by the lines it prints", () => {
    let store: EarlierStore;
    beforeAll(async () => {
      store = await restoreStore(version, exercised);
    });
    afterAll(() => store.close());

    const expectEnd = async (said: Said, first: readonly string[] = ["next", said.run]): Promise<void> => {
      expect(await followLines(store, said.workspace, first), said.place).toMatchObject({ status: "completed" });
      await expectKept(store, said);
    };

    test("steps that the person at it was given keep their ids, and a report under such an id counts once", async () => {
      for (const place of ["open step", "told", "checkpointed", "secret", "included", "serial tasks"]) {
        const said = store.at(place);
        const [action = ""] = openActions(said).values();
        const done = ["done", said.run, "--action", action, "--result", "kept"];
        await store.json(said.workspace, done);
        const { version: once } = await store.json(said.workspace, ["state", said.run]);
        await store.json(said.workspace, done);
        expect((await store.json(said.workspace, ["state", said.run]))["version"], place).toBe(once);
        expect(JSON.stringify(await store.json(said.workspace, ["state", said.run])), place).toContain('"kept"');
        await expectEnd(said);
      }
    }, 600_000);

    test("open steps, updates, tasks, questions and due timers", async () => {
      const places = [
        "budget question",
        "question for a person",
        "written update",
        "open update",
        "half done tasks",
        "new attempt",
        "due timer",
      ];
      for (const place of places) await expectEnd(store.at(place));
      const { state } = await store.json<{ readonly state: JsonObject }>("steps", ["state", store.at("half done tasks").run]);
      expect(state).toMatchObject({ seen: { a: "seen a", b: "seen b" }, kept: { a: "kept a" } });
    }, 600_000);

    test("an update that its holder has made already is not made again", async () => {
      for (const place of ["written update", "open update"])
        expect(await store.json("steps", ["state", store.at(place).run]), place).toMatchObject({ state: { note: "kept", count: 3 } });
    }, 120_000);

    test("a question at a terminal, a timer of a far day, and a new run beside the old ones", async () => {
      const asked = store.at("question");
      exercised.add("run");
      await runAtTerminal(store, "steps", ["run", asked.run, "--by-hand"], ["green", "sun"]);
      expect(await store.json("steps", ["state", asked.run])).toMatchObject({ state: { colour: "green", word: "sun" } });
      const later = store.at("later timer");
      expect(await store.json("steps", ["next", later.run, "--wait", "0s"])).toMatchObject({ status: "working" });
      await store.json("steps", ["tell", later.run, "nobody waits so long"]);
      expect(await store.json("steps", ["checkpoint", later.run])).toMatchObject({ run_id: later.run });
      expect(await store.json("steps", ["abort", later.run])).toMatchObject({ status: "cancelled" });
      await store.text("steps", ["allow", "plain", "--yes"], { WAYMARK_ALLOW_UNATTENDED: "1" });
      expect(await followLines(store, "steps", ["start", "plain"])).toMatchObject({ status: "completed" });
    }, 300_000);

    test("failed runs after a retry", async () => {
      const failed = store.at("failed");
      await expectEnd(failed, ["retry", failed.run]);
    }, 300_000);

    test("a failed run that was begun once more is not retried beside its new attempt, and leads there", async () => {
      const { workspace, run } = store.at("failed attempt");
      const { code, stderr } = await store.run(workspace, ["--json", "retry", run]);
      const { error } = JSON.parse(stderr) as { readonly error: { readonly code: string; readonly details: JsonObject } };
      expect([code, error.code, error.details["next_run"]]).toEqual([2, "RUN_ENDED", store.at("new attempt").run]);
      expect(await followLines(store, workspace, ["next", run])).toMatchObject({ status: "completed" });
    }, 300_000);

    test("a step that is failed, and the run that is taken up again", async () => {
      const { run_id: run } = await store.json("steps", ["start", "failing"]);
      expect((await store.run("steps", ["fail", textOf(run ?? ""), "--error", "no power"])).code).toBe(1);
      expect(await followLines(store, "steps", ["resume", textOf(run ?? "")])).toMatchObject({ status: "completed" });
    }, 120_000);

    test("reviews, and a batch that was previewed by the earlier version", async () => {
      for (const place of ["waiting for its end", "claimed file", "calling review"]) await expectEnd(store.at(place));
      const said = store.at("done and previewed batch");
      const confirm = ["batch", said.run, "apply_fixes", "--confirm", store.tokenOf("batch")];
      const late = await store.run("batch", ["--json", ...confirm]);
      expect(late, "a token lasts for a day").toMatchObject({ code: 2, stderr: expect.stringContaining("TOKEN") });
      expect(await store.json("batch", confirm, store.soonAfter())).toMatchObject({ modified: 1, failed: 0 });
      await expectEnd(said);
      expect(await store.json("batch", ["undo", said.run])).toMatchObject({ restored: ["b.js"] });
    }, 600_000);

    test("bots", async () => {
      const jump = store.at("jump question");
      await runAtTerminal(store, "bots", ["decide", jump.run, jumpOf(jump), "go"]);
      for (const said of store.said.filter(({ workspace }) => workspace === "bots")) await expectEnd(said);
      expect(await store.json("bots", ["bot", "started_bot"])).toMatchObject({ status: "completed" });
    }, 600_000);

    test.each([...machines])(
      "the machine of %s",
      async (workspace) => {
        for (const said of store.said.filter((each) => each.workspace === workspace)) await expectEnd(said);
      },
      600_000,
    );

    test("and doctor has no complaint", () => expectSound(store), 300_000);
  });

  describe("is driven over MCP by another conversation", () => {
    let store: EarlierStore;
    beforeAll(async () => {
      store = await restoreStore(version, exercised);
    });
    afterAll(() => store.close());

    /** Whose process is gone holds nothing: the run is taken up as it was left. */
    const takeOver = async ({ call }: TestClient, said: Said): ReturnType<TestClient["call"]> => {
      expect((await call("workflow_state_read", { of: "run", workflow_id: said.run })).data, said.place).toEqual(said.state.state);
      return call("workflow_resume", { run_id: said.run });
    };

    test.each(["steps", "review", "batch", "bots", "role", "gate"])(
      "every open run of %s",
      async (workspace) => {
        const client = await store.client(workspace, (message) => ({ action: "accept", content: { answer: answerTo(message) } }));
        const folder = store.folder(workspace);
        const open = store.said.filter((said) => said.workspace === workspace && isOpen(said) && said.place !== "later timer");
        for (const said of open) {
          const taken = await takeOver(client, said);
          const jump = { run_id: said.run, decision_id: jumpOf(said) };
          const first = said.place === "jump question" ? await client.call("workflow_decide", jump) : taken;
          const end = await followCalls({ client, folder, run: said.run }, first);
          expect(end.data, said.place).toMatchObject({ status: "completed" });
          await expectKept(store, said);
        }
        const failed = store.said.filter((said) => said.workspace === workspace && said.status.status === "failed");
        for (const said of failed) {
          const retried = await client.call("workflow_retry", { run_id: said.run });
          // A run that was begun once more leads to its new attempt.
          const next = retried.isError ? retried.data.next_call : undefined;
          expect(next?.arguments.run_id, said.place).toBe(said.place === "failed attempt" ? store.at("new attempt").run : undefined);
          const first = next === undefined ? retried : await client.call(next.tool, next.arguments);
          const end = await followCalls({ client, folder, run: said.run }, first);
          expect(end.data, said.place).toMatchObject({ status: "completed" });
        }
      },
      600_000,
    );

    test("an update that the earlier conversation has made already is not made again", async () => {
      for (const place of ["written update", "open update"])
        expect(await store.json("steps", ["state", store.at(place).run]), place).toMatchObject({ state: { note: "kept", count: 3 } });
    }, 120_000);

    test("and is looked at by the commands that driven runs have", async () => {
      const { run } = store.at("open update");
      const codes = async (argv: readonly string[]): Promise<number> => (await store.run("steps", argv)).code;
      expect([await codes(["transcript", run]), await codes(["watch", run])]).toEqual([0, 0]);
      // It is over, so no agent is looked for.
      expect(await codes(["drive", run, "--agent", "nobody", "--permission", "read"])).toBe(0);
    }, 120_000);

    test("and doctor has no complaint", () => expectSound(store), 300_000);
  });
});

test("every command of the product is exercised or has nothing to do with a store", async () => {
  const store = await restoreStore(earlierVersions[0] ?? "");
  const help = await store.text("steps", ["--help"]);
  await store.close();
  const commands = [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
  expect(commands.length).toBeGreaterThan(30);
  expect(commands.filter((name) => !exercised.has(name) && !withoutStore.has(name))).toEqual([]);
  expect(
    [...withoutStore].filter((name) => !commands.includes(name)),
    "listed, but not a command",
  ).toEqual([]);
}, 120_000);
