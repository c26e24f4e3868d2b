/** A run is named by any part of its id that no other run has, and left out where only one can be meant. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../test/process/cli-world.ts";
import { oldCalls } from "../../test/support/checklist-sample.ts";

const head = (name: string): string => `name: ${name}\ndescription: d\nversion: "1.0.0"\n`;
const job = `{ id: do, type: agent_shell_command, command: x, state_update: { path: raw.out } }`;
const files = {
  ".waymark/workflows/use-case.yaml": `${head("use-case")}default_state: { raw: { out: "" } }\nsteps: [${job}, { id: end, type: user_message, message: bye }]`,
  ".waymark/workflows/gate.yaml": `${head("gate")}steps: [{ id: ask, type: user_input, prompt: "Ship it?", choices: [approve, reject], state_update: { path: raw.ok } }]`,
  ".waymark/workflows/o.workflow.yaml": oldCalls,
  "a.js": "old(x);\n",
};

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench(files);
});
afterEach(() => bench.close());

const started = async (workflow: string): Promise<string> => (await bench.json<{ run_id: string }>(["start", workflow])).run_id;
const refused = async (line: readonly string[]): Promise<string> => {
  const done = await bench.run(line, { terminal: true, typed: [] });
  expect(done, line.join(" ")).toMatchObject({ code: 2, stdout: "" });
  return done.stderr;
};

describe("by a part of its id", () => {
  test("every command takes one, whatever the case, and says which run that is", async () => {
    const run = await started("use-case");
    await started("gate");
    const part = run.slice(-8).toUpperCase();
    for (const command of ["next", "status", "state", "items", "journal", "transcript", "export", "resume", "doctor", "trace"]) {
      const { code, stderr } = await bench.run([command, part]);
      expect([command, code, stderr.split("\n", 1)]).toEqual([command, 0, [`Run ${run}`]]);
    }
    expect(await bench.json(["done", "use-case", "--result", "fine"])).toMatchObject({ run_id: run });
    expect(await bench.json(["tell", part, "stay calm"])).toMatchObject({ run_id: run, text: "stay calm" });
    expect(await bench.json(["abort", part])).toMatchObject({ run_id: run, status: "cancelled" });
    expect(await bench.json(["rm", part, "--yes"])).toMatchObject({ removed: [run] });
  });

  test("one that several runs have is refused with the candidates, and nothing is changed", async () => {
    const runs = [await started("use-case"), await started("use-case")];
    await bench.run(["abort", runs[1] ?? ""]);
    for (const command of ["next", "status", "decide", "done", "abort", "retry", "rm", "undo", "report"]) {
      const said = await refused([command, "use-case"]);
      expect(said).toContain("`use-case` is a part of the ids of 2 runs: ");
      for (const run of runs) expect(said).toContain(`\`${run}\``);
      expect(said).toContain(`(CLI_WHICH_RUN)\n→ Name the one that you mean: waymark ${command} wf-use-case-`);
    }
    expect(await bench.json(["status", runs[0] ?? ""])).toMatchObject({ status: "running" });
  });

  test("one that no run has is the id of no run", async () => {
    await started("use-case");
    for (const command of ["next", "status", "done", "abort"]) expect(await refused([command, "zebra"])).toContain("`zebra`");
  });

  test("a document and an error are the only ones where JSON is asked for", async () => {
    const run = await started("use-case");
    expect(await bench.run(["next", run.slice(3, 11), "--json"])).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse((await bench.run(["retry", "--json"])).stderr)).toMatchObject({ error: { code: expect.any(String) as string } });
  });
});

describe("left out", () => {
  test("the only open run is meant, and named", async () => {
    await bench.run(["abort", await started("gate")]);
    const run = await started("use-case");
    for (const line of [
      ["next"],
      ["state"],
      ["state", "out"],
      ["items"],
      ["journal"],
      ["transcript"],
      ["export"],
      ["resume"],
      ["checkpoint"],
    ]) {
      const { code, stderr } = await bench.run(line);
      expect([line, code, stderr.split("\n", 1)]).toEqual([line, 0, [`Run ${run}`]]);
    }
    expect(await bench.json(["tell", "use the staging database"])).toMatchObject({ run_id: run, text: "use the staging database" });
    expect(await bench.json(["fail", "--error", "no"], { code: 1 })).toMatchObject({ run_id: run });
    expect(await bench.json(["retry"])).toMatchObject({ run_id: run });
  });

  test("a batch, its undo and the report of the only checklist", async () => {
    const run = await started("old-calls");
    expect((await bench.run(["batch", "group_by_type"])).stderr).toContain(`Run ${run}`);
    expect((await bench.run(["undo", "b1"])).stderr).toContain(`Run ${run}`);
    expect((await bench.run(["report"])).stdout).toContain(run);
  });

  test("with several open it is refused, with all of them; the end of a run is only ever that of one that was named", async () => {
    const runs = [await started("use-case"), await started("gate")];
    for (const line of [["next"], ["decide"], ["decide", "approve"], ["done"], ["tell", "a word"], ["state"], ["retry"], ["drive"]]) {
      const said = await refused(line);
      expect(said).toContain("2 runs are open in this workspace");
      for (const run of runs) expect(said).toContain(run);
    }
    expect(await refused(["abort"])).toContain("Missing required argument `run`.");
    expect(await refused(["rm"])).toContain("Missing required argument `runs`.");
  });

  test("with none open, what can be asked of a run that has ended names the newest", async () => {
    expect(await refused(["next"])).toContain("No run is open in this workspace.");
    const run = await started("use-case");
    await bench.run(["abort", run]);
    expect(await refused(["retry"])).toContain("No run is open in this workspace.");
    expect(await refused(["export"])).toContain(`Name one that has ended, such as the newest: waymark export ${run}`);
  });

  test("the first word of a note is no part of an id, and a write never goes to a run that was mistyped", async () => {
    const run = await started("use-case");
    expect(await refused(["tell", "use", "the", "staging", "database"])).toContain("`use`");
    expect(await refused(["tell", run])).toContain("The note is missing.");
    expect(await refused(["state", "wf-use-csae", "--set", "raw.out=x"])).toContain("`wf-use-csae`");
    expect(await bench.json(["state", "out"])).toMatchObject({ state: { out: "" } });
  });

  test("a choice alone answers the only question of the only run; another word is neither and answers nothing", async () => {
    const run = await started("gate");
    const said = await refused(["decide", "fine"]);
    expect(said).toContain("`fine` does not name a run");
    expect(said).toContain(`waymark decide ${run} `);
    expect(await bench.json(["decide", "approve"], { terminal: true })).toMatchObject({ run_id: run, answer: "approve" });
  });

  test("a choice that is a part of an id names that run", async () => {
    await bench.write(".waymark/workflows/approve-all.yaml", `${head("approve-all")}steps: [${job}]`);
    await bench.run(["abort", await started("approve-all")]);
    const run = await started("gate");
    expect(await refused(["decide", "approve"])).toContain("has no open question");
    expect(await bench.json(["decide", run, "approve"], { terminal: true })).toMatchObject({ answer: "approve" });
  });
});
