import { afterEach, expect, test } from "vitest";
import { openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";

const workflow_type = "bc-version-upgrade";
let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

test("an upgrade without versions asks for them with what fits, and its later call starts it", async () => {
  world = await openChecklistWorld({ workflows: [workflow_type], sample: "sample-al-app" });
  const { call } = await world.client();
  const asked = await call("workflow_start", { workflow_type });
  const { error, later } = asked.data;
  expect(error).toMatchObject({
    code: "ENGINE_WRONG_INPUTS",
    details: { question: expect.stringContaining("From which version"), app_version: "BC23", guides_up_to: "BC27" },
  });
  expect(error.fix).toContain("app.json is for BC23, and there are guides up to BC27");
  expect(later).toMatchObject({ tool: "workflow_start", when: "when the user has said which versions" });
  const { options } = later.arguments.inputs;
  expect(options).toEqual({ source_version: "BC23", target_version: "<target_version>" });
  // Sent back as it is, it is refused: nobody has said the version yet.
  expect((await call(later.tool, later.arguments)).data.error.message).toContain("`<target_version>` as `target_version` is not a version");
  const inputs = { ...later.arguments.inputs, options: { ...options, target_version: "BC24" } };
  const started = await call(later.tool, { ...later.arguments, inputs });
  expect(started.data.version_upgrade).toMatchObject({ source_version: "BC23", target_version: "BC24" });
});

test("a request that names both versions is routed to the upgrade, and its call starts it with them", async () => {
  world = await openChecklistWorld({ workflows: [workflow_type], files: { "src/a.al": "codeunit 1 A {}" } });
  const { call } = await world.client();
  const routed = await call("workflow_route", { request: "Take us from BC23 to BC24" });
  const options = { source_version: "BC23", target_version: "BC24" };
  expect(routed.data).toMatchObject({
    kind: "route",
    next_call: { tool: "workflow_start", arguments: { workflow: workflow_type, inputs: { options } } },
  });
  const started = await call(routed.data.next_call.tool, routed.data.next_call.arguments);
  expect(started.data.session_id).toMatch(/^wf-bc-version-upgrade-/);
  const half = await call("workflow_route", { request: "Upgrade the extension to BC25" });
  expect(half.data).toMatchObject({
    candidates: [{ needs: ["options.source_version"] }],
    later: { arguments: { workflow: workflow_type, inputs: { options: { target_version: "BC25" } } } },
  });
});

test.each<[string, object, string]>([
  [
    "a target below the source",
    { source_version: "BC24", target_version: "BC23" },
    "`target_version` BC23 is not above `source_version` BC24",
  ],
  ["the same version twice", { source_version: "BC24", target_version: 24 }, "`target_version` BC24 is not above `source_version` BC24"],
  ["no number", { source_version: "latest", target_version: "BC27" }, "`latest` as `source_version` is not a version"],
  [
    "a version that nobody knows",
    { source_version: "BC23", target_version: "BC99" },
    "`BC99` as `target_version` is not a version that Waymark knows",
  ],
  ["one before AL", { source_version: "BC9" }, "`BC9` as `source_version` is not a version that Waymark knows"],
])("%s is refused at the start", async (_what, options, message) => {
  world = await openChecklistWorld({ workflows: [workflow_type], files: { "src/a.al": "codeunit 1 A {}" } });
  const { call } = await world.client();
  const refused = await call("workflow_start", { workflow_type, options });
  expect(refused.data.error).toMatchObject({ code: "ENGINE_WRONG_INPUTS", message: expect.stringContaining(message) });
  expect(refused.data.error.message).toMatch(/Nothing was started\.$/);
  expect((await call("workflow_status")).data.runs ?? []).toEqual([]);
});

test("the batch of an upgrade is offered first, and what it leaves follows in version order", async () => {
  world = await openChecklistWorld({ workflows: [workflow_type], sample: "sample-al-app" });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow_type, options: { source_version: 21, target_version: "27.0" } });
  const session_id: string = started.data.session_id;
  const { options, recommended } = started.data.next_action;
  expect([recommended, options[0].id]).toEqual(["apply_auto_first", "apply_auto_first"]);
  const chosen = await call("workflow_progress", { session_id, answer: "apply_auto_first" });
  expect(chosen.data.next_action).toMatchObject({ action: "batch_apply", tool_call: { tool: "workflow_batch" } });
  const dry = await call(chosen.data.next_call.tool, chosen.data.next_call.arguments);
  expect(dry.data.preview.instances_affected).toBeGreaterThan(2);
  await call("workflow_batch", dry.data.later.arguments);
  const steps: string[] = [];
  const guides = new Map<string, string>(
    (
      await world.engine.context.store.selectItems(session_id, { list: "files", query: { facets: { kind: "instance" } }, limit: 1_000 })
    ).map(({ id, facets }) => [id, facets["step"] ?? ""]),
  );
  for (let reply = await call("workflow_next", { session_id }); reply.data.next_action.action === "convert_instance";) {
    steps.push(guides.get(reply.data.next_action.checklist_item_id) ?? "");
    reply = await call("workflow_progress", { ...reply.data.next_call.arguments, status: "skipped", skip_reason: "later" });
  }
  expect(steps.length).toBeGreaterThan(10);
  expect(steps).toEqual(steps.toSorted());
});

test("two guides that find one place report it once", async () => {
  const guide = [
    "---",
    "title: Our own words about number series",
    "domain: upgrade",
    'bc_versions: "24->25"',
    "target_version: BC25",
    "tags: [conversion-guide]",
    "---",
    "",
    "# Our own words",
    "",
    "## Places",
    "",
    "- **Search Patterns**: `NoSeriesManagement`, `OurOldName`",
    "",
  ].join("\n");
  const code = (name: string): string =>
    `codeunit 50100 A\n{\n    var\n        M: Codeunit ${name};\n\n    procedure P()\n    begin\n        M.SetSeries('X');\n        OurOldName('X');\n    end;\n}\n`;
  world = await openChecklistWorld({
    workflows: [workflow_type],
    files: { ".waymark/knowledge/guides/bc25-our-conversion-guide.md": guide, "src/a.al": code("NoSeriesManagement") },
  });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow_type, options: { source_version: "BC23", target_version: "BC25" } });
  const { by_version_step: steps } = started.data.version_upgrade;
  expect(started.data.analysis_summary.total_instances).toBe(3);
  expect(steps.map(({ step, instances }: { step: string; instances: number }) => `${step} ${instances}`)).toEqual([
    "BC23→BC24 2",
    "BC24→BC25 1",
  ]);
});
