// The roles of `delivery` up to the first task, as far as a store needs them.
const spec = `# Slugs

## Goals

Make slugs of titles.

## Acceptance Criteria

- AC-001: \`slug("A b")\` gives \`a-b\`.

## Definition of Done

The checks pass.
`;
const acceptance = { acceptance_criteria: [{ id: "AC-001", description: "slug works", verify: ["cmd: node check.mjs"] }] };
const architecture = "# Architecture\n\n## Overview\n\nOne function.\n\n## Modules\n\nsrc/slug.mjs\n";
const plan = `project:
  name: slugs
  definition_of_done: ["checks pass"]
tasks:
  - id: T-001
    status: not-started
    type: feat
    title: Slugs
    depends_on: []
    goal: Build it
    non_goals: []
    context_files: []
    files_expected: [src/slug.mjs]
    acceptance_checks: ["cmd: node check.mjs"]
    risk_flags: [none]
    done_when: ["it is there"]
`;

/** What each role writes into the folder of its session. */
const files = {
  SpecAgent: { "spec.md": spec, "acceptance.json": `${JSON.stringify(acceptance, null, 2)}\n` },
  Architect: { "architecture.md": architecture },
  Planner: { "tasks.yaml": plan },
};

function reported(summary) {
  const lists = ["files_to_create_or_update", "files_changed", "tests_added_or_updated", "commands_to_run", "manual_steps"];
  const more = ["review_comments", "findings", "notes"];
  return {
    status: "OK",
    summary,
    artifacts: Object.fromEntries([...lists, ...more].map((name) => [name, []])),
    gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
    next: { recommended_agent: null, recommended_task_id: null, reason: "done" },
  };
}

const answers = { "UD-APPROVE-DESIGN": "approved", "UD-REVIEW-STRATEGY": "per-batch" };

/** A delivery until the question or the role that is named; answers the reply that hands it out. */
export async function deliverUntil(product, workspace, stop) {
  const answer = (message) => answers[/question ([^\s)]+)\)$/.exec(message)?.[1] ?? ""];
  return product.talk(
    workspace,
    async (call) => {
      let reply = await call("workflow_start", { workflow: "delivery", inputs: { request: "Make slugs of titles", project_type: "lib" } });
      const run = reply.run_id;
      for (;;) {
        const role = reply.step?.type === "role" ? reply.step.definition.role : undefined;
        if (role === stop || (reply.status === "question" && JSON.stringify(reply).includes(stop))) return { ...reply, run_id: run };
        if (role !== undefined) {
          const written = Object.entries(files[role] ?? {}).map(([name, text]) => [`${reply.step.definition.session}/${name}`, text]);
          product.write(workspace, Object.fromEntries(written));
          reply = await call("workflow_progress", { run_id: run, action_id: reply.action_id, result: reported(`${role} is done.`) });
        } else if (reply.status === "question") reply = await call("workflow_decide", { run_id: run });
        else reply = await call("workflow_next", { run_id: run });
      }
    },
    { answer },
  );
}
