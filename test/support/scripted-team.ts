import { isObject, textOf, type JsonObject } from "../../src/base/index.ts";
import type { MachineWorld, Play } from "./machine-world.ts";

/** A report of any role: the common part, with what the role adds. */
export function reported(status: string, summary: string, more: JsonObject = {}): JsonObject {
  const { artifacts = {}, ...rest } = more;
  return {
    status,
    summary,
    artifacts: {
      files_to_create_or_update: [],
      files_changed: [],
      tests_added_or_updated: [],
      commands_to_run: [],
      manual_steps: [],
      review_comments: [],
      findings: [],
      notes: [],
      ...(isObject(artifacts) ? artifacts : {}),
    },
    gates: { meets_definition_of_done: status === "OK", needs_review: false, needs_tests: false, security_concerns: [] },
    next: { recommended_agent: null, recommended_task_id: null, reason: "done" },
    ...rest,
  };
}

export const spec = `# Slugs

## Goals

Make slugs of titles.

## Acceptance Criteria

- AC-001: \`slug("A b")\` gives \`a-b\`.

## Definition of Done

The checks pass.
`;
export const acceptance = `${JSON.stringify({ acceptance_criteria: [{ id: "AC-001", description: "slug works", verify: ["cmd: node check.mjs"] }] }, null, 2)}\n`;
export const architecture = "# Architecture\n\n## Overview\n\nOne function.\n\n## Modules\n\nsrc/slug.mjs\n";
export const reportText =
  "# Report\n\n## What was done\n\nSlugs.\n\n## How to run\n\nImport it.\n\n## How to test\n\nnode check.mjs\n\n## Known issues\n\nNone.\n";

export function plan(ids: readonly string[] = ["T-001", "T-002"]): string {
  const tasks = ids.map(
    (id, index) => `  - id: ${id}
    status: not-started
    type: feat
    title: Part ${index + 1}
    depends_on: [${index === 0 ? "" : (ids[index - 1] ?? "")}]
    goal: Build part ${index + 1}
    non_goals: []
    context_files: []
    files_expected: [src/part-${index + 1}.mjs]
    acceptance_checks: ["cmd: node check.mjs"]
    risk_flags: [none]
    done_when: ["it is there"]
`,
  );
  return `project:\n  name: slugs\n  definition_of_done: ["checks pass"]\ntasks:\n${tasks.join("")}`;
}

export function taskOf(dispatch: JsonObject): JsonObject {
  const input = dispatch["input"];
  const task = isObject(input) ? input["task"] : undefined;
  return isObject(task) ? task : {};
}

const aspects = { security: "OK", architecture: "OK", logic: "OK", performance: "OK", quality: "OK", devils_advocate: "OK" };

export const passes = (summary = "Fine."): JsonObject =>
  reported("OK", summary, { verdict: "PASS", artifacts: { checklist_summary: aspects } });
export const blocks = (message: string): JsonObject =>
  reported("BLOCKED", "It needs work.", {
    verdict: "NEEDS FIXES",
    artifacts: {
      checklist_summary: { ...aspects, logic: "issues_found" },
      review_comments: [{ severity: "major", category: "logic", file: "src/part-1.mjs", line: "1", message, suggested_fix: "mend it" }],
    },
  });

let edits = 0;

/** Writes something new into the file of its task, so that the work continues. */
export async function code(dispatch: JsonObject, world: MachineWorld): Promise<JsonObject> {
  const { id } = taskOf(dispatch);
  edits += 1;
  await world.write(`src/${textOf(id ?? "")}.mjs`, `export const made = ${edits};\n`);
  return reported("OK", "Coded.", { artifacts: { patch_summary: ["made it"], files_changed: [`src/${textOf(id ?? "")}.mjs`] } });
}

/** A team that does everything well. */
export const goodTeam: Readonly<Record<string, Play>> = {
  SpecAgent: async (dispatch, world) => {
    const folder = textOf(dispatch["session"] ?? "");
    await world.write(`${folder}/spec.md`, spec);
    await world.write(`${folder}/acceptance.json`, acceptance);
    if (taskOf(dispatch)["lean"] === true) await world.write(`${folder}/tasks.yaml`, plan(["T-001"]));
    return reported("OK", "Specified.");
  },
  Architect: async (dispatch, world) => {
    await world.write(`${textOf(dispatch["session"] ?? "")}/architecture.md`, architecture);
    return reported("OK", "Designed.");
  },
  Planner: async (dispatch, world) => {
    await world.write(`${textOf(dispatch["session"] ?? "")}/tasks.yaml`, plan());
    return reported("OK", "Planned.");
  },
  Coder: code,
  Reviewer: async () => passes(),
  QA: async () =>
    reported("OK", "Tested.", { artifacts: { test_results: { passed: 1, failed: 0, skipped: 0, output: "ok" }, coverage_gaps: [] } }),
  Security: async () => reported("OK", "Nothing found."),
  Integrator: async () => reported("OK", "Green.", { artifacts: { ci_notes: [] } }),
  Docs: async (dispatch, world) => {
    await world.write(`${textOf(dispatch["session"] ?? "")}/report.md`, reportText);
    return reported("OK", "Documented.");
  },
};
