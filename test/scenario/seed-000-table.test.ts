/** docs/seeds/000.md is true: every test it names exists, and nothing of the seed is missing from it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readReference, readSeedTable, wrongReferences } from "../support/seed-table.ts";
import { checklistFeatures } from "../support/dialect-features.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/seeds/000.md"), "utf8");

const rows = readSeedTable("docs/seeds/000.md");
/** Everything that stands in backticks in the first column or in a heading. */
const named = new Set(
  [...rows.map(({ cell }) => cell), ...page.split("\n").filter((line) => line.startsWith("## "))].flatMap((text) =>
    [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ""),
  ),
);

function missing(wanted: readonly string[]): string[] {
  return wanted.filter((name) => !named.has(name));
}

/** Names with what comes before each of them. */
function each(prefix: string, names: string): string[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => `${prefix}${name}`);
}

describe("the page", () => {
  test("has rows, and each names its tests", () => {
    expect(rows.length).toBeGreaterThan(130);
    expect(rows.filter(({ tests }) => tests.some(({ title }) => title === "")).map(({ cell }) => cell)).toEqual([]);
  });

  test("names only tests that exist", () => {
    expect(wrongReferences(rows)).toEqual([]);
  });

  test("would notice a test that does not exist and a name that is missing", () => {
    expect(readReference("`scan/al/corpus` › y z")).toEqual({ file: "src/scan/al/corpus.test.ts", title: "y z" });
    expect(readReference("`samples` › of several rooms").file).toBe("nowhere/samples.test.ts");
    expect(readReference("`scan/al/x` › y").file).toBe("nowhere/scan/al/x.test.ts");
    expect(readReference("x › y").title).toBe("");
    expect(missing(["phases[].idd", "workflow_begin"])).toEqual(["phases[].idd", "workflow_begin"]);
  });

  test("has every section of the seed", () => {
    const sections = [
      "Executive Summary",
      "Problem Statement",
      "Architecture Overview",
      "Workflow Session",
      "Workflow Definition",
      "Dynamic Checklist Expansion",
      "Batch Operations",
      "Server-Side Autonomous Processing",
      "Streaming Progress for Long Operations",
      "Tool 1: workflow_start",
      "Tool 2: workflow_next",
      "Tool 3: workflow_progress",
      "Tool 4: workflow_status",
      "Tool 5: workflow_complete",
      "Tool 6: workflow_batch",
      "Code Review Workflow",
      "Error to ErrorInfo Migration Workflow",
      "BC Version Upgrade Workflow",
      "Version Upgrade - Guide Discovery Phase",
      "Version Upgrade - Analysis Output",
      "Version Upgrade - Per-File Checklist",
      "Version Upgrade - Workflow Flow",
      "Proposal Review Workflow",
      "Agent Interaction Flow",
      "Consumer Integration (Status Bar Sync)",
      "State Sync Triggers",
      "Progress Calculation",
      "Progress Message Generation",
      "State Persistence",
      "Error Handling",
      "Integration with Existing Tools",
      "Success Metrics",
      "Migration from v1",
      "Open Questions",
      "Appendix: Full Session State Example",
    ];
    expect(sections.filter((section) => !page.includes(`\n| ${section} | `))).toEqual([]);
  });
});

describe("definitions", () => {
  const ours = [
    ...checklistFeatures.topLevelKeys,
    ...Object.entries(checklistFeatures.sectionKeys).flatMap(([section, keys]) => keys.map((key) => `${section}.${key}`)),
  ];

  test("every key that the dialect knows has a row", () => {
    expect(ours.length).toBeGreaterThan(90);
    expect(missing(ours)).toEqual([]);
  });

  test("the dialect knows every key of the seed's definition types", () => {
    const pattern = "pattern_discovery.patterns[].";
    const seed = [
      ...each("", "type name description specialist file_patterns file_exclusions phases per_file_checklist"),
      ...each("", "topic_discovery pattern_discovery completion_rules version_upgrade"),
      ...each("phases[].", "id name description required entry_conditions available_actions mode"),
      ...each("per_file_checklist[].", "id type description required conditions"),
      ...each("per_file_checklist[].conditions.", "file_pattern content_pattern phase"),
      ...each("topic_discovery.", "enabled tool auto_expand_checklist min_relevance_score"),
      ...each("pattern_discovery.", "enabled patterns create_instance_items group_identical specialist"),
      ...each("pattern_discovery.", "source topic_pattern pattern_extraction group_by_guide"),
      ...each("pattern_discovery.pattern_extraction.", "search_pattern_markers transformation_markers"),
      ...each(pattern, "id name description regex regex_flags exclude_regex context_lines instance_classifier"),
      ...each(pattern, "transformations specialist topic_id"),
      ...each(`${pattern}instance_classifier.`, "rules"),
      ...each(`${pattern}instance_classifier.rules[].`, "name pattern suggested_action auto_fixable"),
      ...each(`${pattern}transformations[].`, "instance_type template requires_review"),
      ...each("completion_rules.", "require_all_files require_all_checklist_items allow_skip_with_reason"),
      ...each("version_upgrade.", "source_version target_version conversion_guide_pattern conversion_guide_tags"),
      ...each("version_upgrade.", "apply_in_sequence extract_patterns_from_guides"),
    ];
    expect(seed.filter((key) => !ours.includes(key))).toEqual([]);
  });

  test("every word of the seed has a row", () => {
    expect(
      missing([
        ...checklistFeatures.phaseModes,
        ...checklistFeatures.entryTypes,
        ...checklistFeatures.severities,
        ...checklistFeatures.placeholders.map((name) => `{{${name}}}`),
        ...each("", "literal strsubstno text_constant strsubstno_with_constant function_call getlasterror system_function other"),
      ]),
    ).toEqual([]);
  });

  test("every bundled workflow has a row", () => {
    expect(
      missing(
        each(
          "",
          `code-review proposal-review performance-audit security-audit onboarding error-to-errorinfo-migration bc-version-upgrade
           typescript-migration codebase-review`,
        ),
      ),
    ).toEqual([]);
  });
});

describe("sessions", () => {
  test("every field and status has a row", () => {
    expect(
      missing([
        ...each("session.", "id workflow_type status created_at updated_at file_inventory file_glob_pattern current_phase"),
        ...each("session.", "current_file_index files_completed files_total findings proposed_changes options"),
        ...each("file.", "path status checklist findings proposed_changes"),
        ...each("item.", "id type description status topic_id topic_relevance_score pattern_match result error"),
        ...each("pattern_match.", "pattern_id line_number column end_line match_text match_context instance_type"),
        ...each("pattern_match.", "suggested_replacement requires_manual_review"),
        ...each("", "initializing in_progress blocked completed failed pending skipped analysis_complete ready_for_completion"),
      ]),
    ).toEqual([]);
  });
});

describe("tools", () => {
  test("every tool of the seed, and each it names without describing it, has a row", () => {
    const tools = `workflow_start workflow_next workflow_progress workflow_status workflow_complete workflow_batch workflow_retry
      workflow_abort workflow_cancel analyze_al_code retrieve_bc_knowledge ask_bc_expert analyze_code retrieve_knowledge`;
    expect(missing(each("", tools))).toEqual([]);
  });

  test("every argument has a row", () => {
    expect(
      missing([
        ...each("workflow_start.", "workflow_type scope path options initial_processing"),
        ...each("workflow_start.options.", "bc_version include_patterns exclude_patterns max_files priority_patterns"),
        ...each("workflow_start.options.", "source_version target_version"),
        ...each("workflow_start.initial_processing.", "run_autonomous_phases scan_all_patterns timeout_ms stream_progress"),
        ...each("workflow_next.", "session_id"),
        ...each("workflow_progress.", "session_id completed_action findings proposed_changes expand_checklist"),
        ...each("workflow_progress.completed_action.", "action file checklist_item_id status skip_reason error"),
        ...each("finding.", "file line severity category description suggestion related_topic"),
        ...each("change.", "file line_start line_end original_code proposed_code rationale impact auto_applicable"),
        ...each("expand.", "topic_id relevance_score description"),
        ...each("workflow_status.", "session_id include_all_files"),
        ...each("workflow_complete.", "session_id generate_report apply_changes report_format"),
        ...each("workflow_batch.", "session_id operation filter dry_run confirmation_token"),
        ...each("workflow_batch.filter.", "instance_types file_patterns auto_fixable_only status guide version_step"),
        ...each("", "apply_fixes skip_instances flag_for_review group_by_type apply_all skip_all markdown json html"),
        ...each("analyze_al_code.", "code analysis_type bc_version suggest_workflows"),
        ...each("retrieve_bc_knowledge.", "topic_id include_related"),
      ]),
    ).toEqual([]);
  });

  test("every field of a reply has a row", () => {
    expect(
      missing([
        ...each("start.", "session_id workflow_type status autonomous_processing.completed autonomous_processing.phases_run"),
        ...each("start.", "autonomous_processing.duration_ms file_inventory.total file_inventory.with_matches file_inventory.by_type"),
        ...each("start.", "file_inventory.files analysis_summary.total_instances analysis_summary.by_type phases next_action"),
        ...each("start.", "analysis_summary.batch_options analysis_summary.files_scanned analysis_summary.files_with_matches"),
        ...each("start.", "agent_instructions by_type.count by_type.auto_fixable by_type.needs batch_options.action"),
        ...each("start.", "batch_options.description batch_options.instances batch_options.files phases.id phases.name phases.status"),
        ...each("start.", "phases.mode"),
        ...each("progress_update.", "type phase files_processed files_total instances_found estimated_remaining_seconds"),
        ...each("next.", "session_id status progress.phase progress.files_completed progress.files_total progress.percent_complete"),
        ...each("next.", "progress.current_file current_file.path current_file.status current_file.checklist agent_instructions"),
        ...each("next.current_file.checklist.", "id description status topic_id"),
        ...each("next_action.", "action type file topic_id instruction tool_call tool_call.tool tool_call.args options recommended"),
        ...each("next_action.", "checklist_item_id line instance_type match_text context suggested_fix specialist_guidance"),
        ...each("next_action.", "guide_section guide_content specialist"),
        ...each("status.", "session_id workflow_type status created_at updated_at progress.phase progress.files_completed"),
        ...each("status.", "progress.files_total progress.files_in_progress progress.files_pending progress.percent_complete"),
        ...each("status.summary.", "total_findings findings_by_severity total_proposed_changes topics_applied topics_pending"),
        ...each("status.files.", "path status findings_count proposed_changes_count checklist_complete"),
        ...each("complete.", "session_id status completed_at duration_minutes report top_issues recommendations"),
        ...each("complete.summary.", "files_reviewed total_findings findings_by_severity proposed_changes changes_applied topics_applied"),
        ...each("complete.summary.", "files_processed instances_converted instances_skipped auto_fixed manually_reviewed"),
        ...each("complete.top_issues.", "file severity description suggestion"),
        ...each("preview.", "session_id operation dry_run preview.instances_affected preview.files_affected"),
        ...each("preview.", "preview.by_instance_type sample_changes confirmation_required confirmation_token confirmation_prompt"),
        ...each("sample_changes.", "file line before after"),
        ...each("batch.", "session_id operation dry_run result.instances_modified result.instances_failed result.files_modified"),
        ...each("batch.", "result.files_failed failures next_action"),
        ...each("failures.", "file line error"),
        ...each("blocked.", "status blocked_reason blocked_files resolution_options"),
        ...each("analyze.", "issues suggested_topics workflow_integration.instruction workflow_integration.expand_checklist_payload"),
        ...each("retrieve.", "topic_content workflow_integration.instruction workflow_integration.finding_template"),
        ...each("finding_template.", "severity category description suggestion related_topic"),
      ]),
    ).toEqual([]);
  });
});

test("every field of a conversion guide has a row", () => {
  expect(
    missing([
      ...each("guide.", "id title source_version target_version patterns method_mappings related_topics priority"),
      ...each("extracted.", "id description search_patterns transformations before_pattern after_template requires_review"),
      ...each("extracted.", "specialist topic_id"),
      ...each("mapping.", "legacy_method new_method conversion_notes auto_convertible"),
    ]),
  ).toEqual([]);
});

test("every field and trigger of the status-bar file has a row", () => {
  expect(
    missing([
      ...each("bar.", "version activeWorkflows lastUpdated id type name status currentPhase currentPhaseName totalPhases phaseIndex"),
      ...each("bar.", "filesTotal filesCompleted filesInProgress currentFile instancesTotal instancesCompleted instancesAutoFixed"),
      ...each("bar.", "instancesManualReview versionUpgrade currentSpecialist nextSpecialist progressPercentage progressMessage"),
      ...each("bar.", "startedAt estimatedTimeRemaining projectContext blockedReason blockedResolution"),
      ...each("bar.versionUpgrade.", "sourceVersion targetVersion currentVersionStep guidesTotal guidesCompleted"),
      ...each("", "active paused blocked completed cancelled BC_INTEL_WORKFLOW_STATE_PATH"),
      ...each("trigger: ", "workflow_start workflow_next workflow_progress workflow_batch workflow_status workflow_complete"),
      "trigger: phase transitions",
      "trigger: blocking events",
    ]),
  ).toEqual([]);
});
