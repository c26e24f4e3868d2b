import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { openClient, serverParts, type TestClient } from "../../../../test/process/mcp-client.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { JsonObject } from "../../../base/index.ts";

let engine: TestEngine | undefined;
let client: TestClient | undefined;
afterEach(async () => {
  await client?.close();
  await engine?.close();
  client = undefined;
  engine = undefined;
});

const page = new URL("../../../../docs/machines.md", import.meta.url);

/** The first block of a language in the page about machines. */
async function blockOf(language: string): Promise<string> {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(await readFile(page, "utf8"))?.[1] ?? "";
}

/** The documented machine with short instructions, at the first step of its Writer. */
async function begin(writer = "Write the notes.") {
  const folder = ".waymark/workflows";
  engine = await openTestEngine({
    [`${folder}/notes.machine.yaml`]: await blockOf("yaml"),
    [`${folder}/roles/writer.md`]: writer,
    [`${folder}/roles/reviewer.md`]: "Read the notes.",
  });
  client = await openClient({ context: engine.context, ...serverParts });
  const { call } = client;
  const started = await call("workflow_start", { workflow: "notes", inputs: { request: "Version 2.1" } });
  const run_id = String(started.data.run_id);
  const [path] = started.data.step.definition.deliver as string[];
  const write = (): Promise<void> => engine!.write(path!, "## Changes\n\nOne.\n\n## Upgrade\n\nNothing to do.\n");
  const report = async (result: JsonObject) => {
    const { data } = await call("workflow_next", { run_id });
    return call("workflow_progress", { run_id, action_id: data.action_id, result });
  };
  return { started, run_id, write, report };
}

test("the steps of the roles show reports that count, up to the gate", async () => {
  const { started, run_id, write, report } = await begin();
  const { report: form } = started.data.step.definition;
  expect(started.data.step.instructions).toContain("Report one JSON object like report, its status one of answers.");
  expect(started.data.step.instructions).toMatch(/^Start a fresh sub-agent with what follows and definition; report its answer\. You are /);
  expect(started.text).toContain(JSON.stringify(form));
  await write();
  expect((await report(form as JsonObject)).data).toMatchObject({ recorded: "now" });
  const { data } = await client!.call("workflow_next", { run_id });
  expect(data.step.definition).toMatchObject({ role: "Reviewer", report: { verdict: "PASS" } });
  expect((await report(data.step.definition.report as JsonObject)).data).toMatchObject({ recorded: "now", action_id: "UD-PUBLISH" });
});

test("instructions that show the form are not repeated", async () => {
  const { started } = await begin(`Write the notes. Report:\n${JSON.stringify(reported("OK", "Done."))}`);
  expect(started.data.step.instructions).toContain("as your instructions show.");
  expect(started.data.step.definition).not.toHaveProperty("report");
});

test("the form in the documentation counts", async () => {
  const { write, report } = await begin();
  await write();
  expect((await report(JSON.parse(await blockOf("json")) as JsonObject)).data).toMatchObject({ recorded: "now" });
});

test("the first refusal names all that is wrong, in the form and in the files", async () => {
  const { report } = await begin();
  await engine!.write("other.txt", "x");
  const refused = await report({
    status: "OK",
    summary: "Done.",
    artifacts: ["notes.md"],
    gates: {},
    next: { recommended_agent: "Nobody" },
  });
  expect(refused.data.error.code).toBe("MACHINE_REPORT_REFUSED");
  for (const told of [
    "`artifacts` is not a map",
    "`gates.meets_definition_of_done` is missing",
    "`gates.needs_review` is missing",
    "`gates.needs_tests` is missing",
    "`next.reason` is missing",
    "`Writer`, `Reviewer`, `SpecAgent`",
    "or null",
    "`other.txt` was changed, and Writer may not change it. It is new: remove it.",
    "notes.md",
  ])
    expect(refused.text).toContain(told);
  expect(refused.data.error.details.tries_left).toBe(2);
});

test("a role of the machine may be recommended", async () => {
  const { write, report } = await begin();
  await write();
  const next = { recommended_agent: "Writer", recommended_task_id: null, reason: "Once more." };
  expect((await report(reported("OK", "Done.", { next }))).data).toMatchObject({ recorded: "now" });
});
