/** Sessions that were worked on elsewhere, taken up by runs of `delivery`. */
import type { JsonObject } from "../../src/base/index.ts";
import { bundledMachine, openMachineWorld } from "./machine-world.ts";
import { recordIn, type Recording } from "./seed-004-recording.ts";
import { request, saying } from "./seed-004-runs.ts";
import { acceptance, architecture, goodTeam, plan, spec } from "./scripted-team.ts";

const at = "2026-03-02T10:15:00.000Z";

const decided = (id: string, fields: JsonObject = {}): JsonObject => ({
  decision_id: id,
  question: "What do you think?",
  status: "answered",
  answer: "approved",
  asked_at: at,
  resolved_at: at,
  resolution_reason: null,
  state_context: id === "UD-APPROVE-DESIGN" ? "APPROVE_DESIGN" : id === "UD-REVIEW-STRATEGY" ? "REVIEW_STRATEGY" : "DESIGN",
  ...fields,
});
const pending = { status: "pending", answer: null, resolved_at: null };
const back = decided("UD-APPROVE-DESIGN", { answer: "changes-requested: name the modules" });
const sentBack = (correction_status: string | null): JsonObject => ({
  current_state: "APPROVE_DESIGN",
  user_decisions: [back],
  ...(correction_status === null
    ? {}
    : {
        gate_tracking: {
          APPROVE_DESIGN: { correction_status, last_correction_dispatch: { agent: "Architect", task_id: "meta", at } },
        },
      }),
});

/** What the status file of each says, by a word for it. */
const sessions = {
  untracked: sentBack(null),
  none: sentBack("none"),
  queued: sentBack("queued"),
  dispatched: sentBack("dispatched"),
  completed: sentBack("completed"),
  unfinished: sentBack("dispatched"),
  strategy: {
    current_state: "REVIEW_STRATEGY",
    user_decisions: [decided("UD-APPROVE-DESIGN"), decided("UD-REVIEW-STRATEGY", pending)],
  },
  loop: {
    current_state: "IMPLEMENT_LOOP",
    user_decisions: [decided("UD-APPROVE-DESIGN"), decided("UD-REVIEW-STRATEGY", { answer: "per-batch" })],
    retry_counts: { "T-001": { FIX_REVIEW: 2, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 } },
  },
  asking: { current_state: "ASK_USER", user_decisions: [decided("UD-7", { ...pending, state_context: "DESIGN" })] },
  blocked: { current_state: "BLOCKED", user_decisions: [decided("UD-2", { ...pending, state_context: "INTAKE" })] },
} as const;
type BroughtName = keyof typeof sessions;

/** A recording of each, and what an earlier session held before and after all of them. */
type Brought = Readonly<Record<BroughtName, Recording>> & { readonly earlier: readonly [before: string, after: string] };

let held: Promise<Brought> | undefined;
export const brought = (): Promise<Brought> => (held ??= takeUp());

async function takeUp(): Promise<Brought> {
  const world = await openMachineWorld({ ...(await bundledMachine()), "check.mjs": "process.exit(0);\n" });
  const path = ".agents-work/2025-01-01_old-one/status.json";
  const before = JSON.stringify({ session: "2025-01-01_old-one", ...sessions.loop });
  await world.write(path, before);
  const recordings: Partial<Record<BroughtName, Recording>> = {};
  try {
    for (const [name, status] of Object.entries(sessions)) {
      const session = `2026-03-02_brought-${name}`;
      const files = {
        "spec.md": spec,
        "acceptance.json": acceptance,
        "architecture.md": name === "unfinished" ? "# Nothing\n" : architecture,
        "tasks.yaml": plan(),
        "status.json": JSON.stringify({
          session,
          assumptions: ["Titles are short."],
          known_issues: [],
          retry_counts: {},
          last_ci_result: "unknown",
          last_update: at,
          ...status,
        }),
      };
      for (const [file, text] of Object.entries(files)) await world.write(`.agents-work/${session}/${file}`, text);
      const { Architect = async () => null, Planner = async () => null } = goodTeam;
      recordings[name as BroughtName] = await recordIn(world, {
        inputs: { request, session },
        cast: name === "asking" || name === "blocked" ? {} : { Architect, Planner },
        answers: saying(),
        stopAt: "gate_tracking" in status || name === "untracked" ? ["Planner:meta", 1] : ["Coder:T-001", 1],
      });
    }
    return { ...(recordings as Readonly<Record<BroughtName, Recording>>), earlier: [before, await world.text(path)] };
  } finally {
    await world.close();
  }
}
