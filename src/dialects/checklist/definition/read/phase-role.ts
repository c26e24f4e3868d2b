import type { PhaseMode, PhaseRole } from "../checklist-definition.ts";

/** What the rest of the file gives the engine to do. */
export interface EngineWork {
  readonly patterns: boolean;
  readonly guides: boolean;
}

const ids: readonly (readonly [PhaseRole, RegExp])[] = [
  ["inventory", /^(?:\w+_)?inventory$/],
  ["guides", /^(?:conversion_)?guides?(?:_discovery)?$/],
  ["scan", /^(?:\w+_)?scan(?:ning)?$|^(?:\w+_)?classif(?:y|ication)$|^impact_analysis$/],
  ["batch", /^batch(?:_\w+)?$|^(?:\w+_)?batch$|^auto_?fix(?:es)?$/],
  ["verification", /^(?:\w+_)?verif(?:y|ication)$|^(?:compile|compilation)(?:_\w+)?$/],
  ["summary", /^(?:\w+_)?(?:summary|report|reporting|completion|recommendations)$|^report_generation$/],
];

const actions: readonly (readonly [PhaseRole, RegExp])[] = [
  ["guides", /^load_conversion_guides$/],
  ["scan", /^scan_|^expand_checklist_with_instances$/],
  ["batch", /^batch_apply$/],
  ["verification", /^(?:compile_check|run_tests)$/],
];

/** What the id means, or else the actions. */
export function roleWords(id: string, offered: readonly string[]): PhaseRole | undefined {
  const word = id.toLowerCase().replaceAll(/[-.:]/g, "_");
  return ids.find(([, form]) => form.test(word))?.[0] ?? actions.find(([, form]) => offered.some((action) => form.test(action)))?.[0];
}

/** Roles the engine fills without an agent, whatever the phase says beside that. */
const alone: readonly PhaseRole[] = ["inventory", "guides", "scan", "verification"];

/** The mode that follows from a role: what was written counts where both are possible. */
export function modeOf(role: PhaseRole, written: PhaseMode | undefined): PhaseMode {
  if (role === "review") return "guided";
  if (role === "agent") return "agent_driven";
  return alone.includes(role) ? "autonomous" : (written ?? "autonomous");
}

/** Whether the engine has something to do in a phase of this role. `taken`: roles that earlier phases have. */
export function isPossible(role: PhaseRole, work: EngineWork, taken: readonly PhaseRole[]): boolean {
  switch (role) {
    case "inventory":
      return !taken.includes("inventory");
    case "guides":
      return work.guides && !taken.includes("guides");
    case "scan":
    case "batch":
      return work.patterns;
    default:
      return true;
  }
}

/** What would have to be in the file for the engine to have this work. */
export function whatItNeeds(role: PhaseRole): string {
  switch (role) {
    case "inventory":
      return "the files are already listed in an earlier phase";
    case "guides":
      return "it needs `version_upgrade` or `source: knowledge_topics`, and only one phase looks for guides";
    case "scan":
    case "batch":
      return "it needs `pattern_discovery` with patterns";
    default:
      return "the report is written when all other phases are over";
  }
}
