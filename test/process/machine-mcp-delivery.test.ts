import { afterEach, describe, expect, test } from "vitest";
import { textOf, type JsonObject } from "../../src/base/index.ts";
import { openMcpTeam, type McpTeam, type PersonAnswers } from "../support/machine-mcp.ts";
import { costOf } from "../support/machine-tokens.ts";
import type { Play } from "../support/machine-world.ts";
import { blocks, goodTeam, plan, reported } from "../support/scripted-team.ts";

let team: McpTeam | undefined;
afterEach(async () => {
  await team?.close();
  team = undefined;
});

/** A real check: it fails until the module is there and does what was asked for. */
const check = `import { slug } from "./src/slug.mjs";
if (slug("A b") !== "a-b") { console.error("slug is wrong:", slug("A b")); process.exit(1); }
`;
const good = 'export const slug = (title) => title.toLowerCase().replaceAll(" ", "-");\n';
const wrong = 'export const slug = (title) => title.replaceAll(" ", "-");\n';
const project = { "check.mjs": check, "README.md": "# Slugs\n", "AGENTS.md": "Use ES modules.\n", "package.json": '{"type":"module"}\n' };

/** These in turn, then the usual part. */
function turns(usually: Play, ...plays: readonly Play[]): Play {
  const left = [...plays];
  return async (dispatch, world) => (left.shift() ?? usually)(dispatch, world);
}

const coded = (summary: string): JsonObject =>
  reported("OK", summary, { artifacts: { patch_summary: [summary], files_changed: ["src/slug.mjs"] } });
const play = (role: string): Play => goodTeam[role] as Play;

let edits = 0;
const code: Play = async (_dispatch, world) => {
  edits += 1;
  await world.write("src/slug.mjs", `// ${edits}\n${good}`);
  return coded("Wrote the module.");
};

const finding = { severity: "medium", category: "input", file: "src/slug.mjs", description: "unbounded", recommended_fix: "bound it" };
const leanConfirmed = { no_interpretation: true, few_files: true, no_architecture: true, no_ui: true, no_security: true, short_work: true };

const roles = ["SpecAgent", "Researcher", "Architect", "Designer", "Planner", "Coder", "Reviewer", "QA", "Security", "Integrator", "Docs"];

/** Beside the task's own texts and paths, a dispatch to any role costs less than this in either part of its reply. */
const mostTokens = 600;

function expectCheap({ handed }: McpTeam): void {
  const costs = handed.map(costOf).toSorted((a, b) => Math.max(b.text, b.data) - Math.max(a.text, a.data));
  for (const { step, text, data } of costs) expect(Math.max(text, data), step).toBeLessThan(mostTokens);
  const [most] = costs;
  expect(new Set(handed.map(({ role }) => role))).toEqual(new Set(roles));
  process.stdout.write(
    `${costs.length} dispatches to ${roles.length} roles: the largest costs ${most?.text} tokens as text and ${most?.data} as data (${most?.step}), of ${mostTokens}.\n`,
  );
}

describe("a delivery over MCP", () => {
  test("in full: a design sent back, two blocking reviews, a failing test, a finding to decide, a message in the middle", async () => {
    let approvals = 0;
    const shown: Record<string, string> = {};
    const answers: PersonAnswers = (id, message) => {
      shown[id] = message;
      if (id === "UD-APPROVE-DESIGN") return (approvals += 1) === 1 ? "changes-requested: name the module in the architecture" : "approved";
      if (id === "UD-REVIEW-STRATEGY") return "per-batch";
      return message.includes("What shall be done?") ? "fix-now" : undefined;
    };
    team = await openMcpTeam(project, answers);
    const heard: string[] = [];
    const started = await team.start({
      request: "Make slugs of titles",
      project_type: "lib",
      research: "Which libraries are there?",
      ui: true,
    });
    const run = textOf(started.data.run_id);
    const cast = {
      ...goodTeam,
      Researcher: (async (dispatch, world) => {
        await world.write(`${textOf(dispatch["session"] ?? "")}/research/research-slugs.md`, "# Slugs\n\nNone is needed.\n");
        return reported("OK", "None is needed.", { artifacts: { research_summary: "none", confidence: "high", options: [] } });
      }) satisfies Play,
      Designer: (async (dispatch, world) => {
        await world.write(`${textOf(dispatch["session"] ?? "")}/design-specs/design-spec-slugs.md`, "# Layout\n\nOne field.\n");
        return reported("OK", "One field.", { artifacts: { design_spec_file: "design-specs/design-spec-slugs.md" } });
      }) satisfies Play,
      Planner: (async (dispatch, world) => {
        const text = plan(["T-001"]).replace("risk_flags: [none]", "risk_flags: [security]");
        await world.write(`${textOf(dispatch["session"] ?? "")}/tasks.yaml`, text);
        return reported("OK", "Planned.");
      }) satisfies Play,
      Coder: turns(code, async (_dispatch, world) => {
        await world.write("src/slug.mjs", wrong);
        const told = await team?.cli("tell", run, "Mind the umlauts", "--for", "QA");
        expect(told?.code, told?.stderr).toBe(0);
        return coded("First try.");
      }),
      Reviewer: turns(
        play("Reviewer"),
        async () => blocks("off by one"),
        async () => blocks("still off by one"),
      ),
      QA: turns(play("QA"), async () => {
        heard.push(...((team?.handed.at(-1)?.reply.data.notes ?? []) as string[]));
        return reported("BLOCKED", "A test fails.", {
          artifacts: { test_results: { passed: 0, failed: 1, skipped: 0, output: "boom" }, coverage_gaps: ["umlauts"] },
        });
      }),
      Security: turns(play("Security"), async () =>
        reported("NEEDS_DECISION", "A medium finding.", { artifacts: { findings: [finding] } }),
      ),
    };
    const end = await team.drive(started, cast);
    expect(end.data, team.seen.join("\n")).toMatchObject({ status: "completed" });
    expect(heard).toEqual(["Mind the umlauts"]);
    expect(team.seen).toEqual([
      "do SpecAgent:meta",
      "do Researcher:meta",
      "do Architect:meta",
      "do Designer:meta",
      "ask UD-APPROVE-DESIGN: changes-requested: name the module in the architecture",
      "do Architect:meta",
      "ask UD-APPROVE-DESIGN: approved",
      "do Planner:meta",
      "ask UD-REVIEW-STRATEGY: per-batch",
      "do Coder:T-001",
      "do Coder:T-001",
      "do Reviewer:T-001",
      "do Coder:T-001",
      "do Reviewer:T-001",
      "do Coder:T-001",
      "do Reviewer:T-001",
      "do QA:T-001",
      "do Coder:T-001",
      "do QA:T-001",
      "do Security:T-001",
      "ask UD-1: fix-now",
      "do Coder:T-001",
      "do Security:T-001",
      "do Reviewer:meta",
      "do Integrator:meta",
      "do Docs:meta",
      "do Integrator:meta",
    ]);
    const status = await team.status();
    expect(status).toMatchObject({
      current_state: "DONE",
      last_ci_result: "green",
      retry_counts: { "T-001": { FIX_BUILD: 1, FIX_REVIEW: 2, FIX_TESTS: 1, FIX_SECURITY: 1 } },
      gate_tracking: { APPROVE_DESIGN: { correction_status: "completed" } },
      user_decisions: [
        { decision_id: "UD-APPROVE-DESIGN", status: "answered", answer: "approved" },
        { decision_id: "UD-REVIEW-STRATEGY", status: "answered", answer: "per-batch" },
        { decision_id: "UD-1", status: "answered", answer: "fix-now", state_context: "IMPLEMENT_LOOP" },
      ],
    });
    expect(shown["UD-REVIEW-STRATEGY"]).toMatch(/1 task[\s\S]*- node check\.mjs[\s\S]*Recommended: per-batch/);
    expect(shown["UD-APPROVE-DESIGN"]).toMatch(/AC-001/);
    const done = await team.client.call("workflow_complete", { run_id: run, status: "success" });
    expect(done.isError).toBe(false);
    expectCheap(team);
  }, 240_000);

  test("lean: one task, commands asked about, no gates, a report by Waymark", async () => {
    team = await openMcpTeam(project, (_id, message) => (message.includes("May Waymark run them") ? "allow" : undefined));
    const started = await team.start({ request: "Fix the slugs", mode: "lean", confirmed: leanConfirmed });
    const end = await team.drive(started, { ...goodTeam, Coder: code, Reviewer: turns(play("Reviewer"), async () => blocks("mind this")) });
    expect(end.data, team.seen.join("\n")).toMatchObject({ status: "completed" });
    expect(team.seen).toEqual([
      "do SpecAgent:meta",
      "do Coder:T-001",
      "ask UD-1: allow",
      "do Reviewer:T-001",
      "do Coder:T-001",
      "do Reviewer:T-001",
      "do QA:T-001",
    ]);
    expect(await team.status()).toMatchObject({ current_state: "DONE", last_ci_result: "green" });
    const report = await team.text(`.agents-work/${await team.session()}/report.md`);
    for (const part of ["What was done", "How to run", "How to test", "Known issues"]) expect(report).toContain(`## ${part}`);
  }, 120_000);
});
