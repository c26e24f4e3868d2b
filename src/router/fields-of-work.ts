import { stemWord } from "./words-of.ts";

/**
 * Kinds of work on software. `names`: words with which a workflow says that it does this. `signs`: words of people who need it. Words that are joined
 * by `_` follow one another. Shapes such as `#time` are those of `words-of.ts`.
 */
const fields: readonly { readonly names: string; readonly signs: string }[] = [
  {
    names: "bug defect fix repair regression broken crash fault bugfix hotfix misbehaves wrongly troubleshoot debug debugging",
    signs: [
      "error exception glitch wrong incorrect fail failure throw crash stuck blank disappear vanish lose lost twice duplicate nan undefined freeze hang squash repro",
      "reproduce symptom weird odd reject ignore mismatch corrupt truncate flicker overlap empty instead should_not shouldn't doesn't_work not_work no_longer stopped",
      "stops correct solve resolve sort_out off_by cut_off nothing_happens issue problem #error #status #trace drops jumps shows incorrectly properly mess garbled",
      "keeps still double unexpectedly randomly sometimes since_yesterday since_the safari firefox chrome bounces swallowed malfunction invalid inconsistent",
    ].join(" "),
  },
  {
    names: "feature functionality capability implement build develop story enhancement",
    signs: [
      "add introduce create option button toggle screen page field filter allow let_users let_customers enable able_to should_be_able spec acceptance_criteria mockup mockups",
      "figma wishlist epic requirement ability support_for no_way_to cannot_yet dropdown widget form view refined estimated prototype wireframe new_screen endpoint signed_off",
      "notify notification reminder checkbox picker sort_by instead_of_by_hand so_that",
    ].join(" "),
  },
  {
    names: "pull_request pr diff code_review review branch reviewer",
    signs: [
      "eyes look_over look_at comments remarks feedback approve approval lgtm nits inline merge merging changes patch read_through go_through critically pushed branch commits",
      "thumbs_up complaints sanity_check ready_for_review check #pr #n",
    ].join(" "),
  },
  {
    names: "design document rfc adr architecture proposal concept design_doc architecture_doc written_design diagram",
    signs: "objections poke_holes holes holds_water assumptions alternatives feasibility c4 whitepaper draft tradeoffs overlooked critique opinion decision_record pdf blueprint adr rfc",
  },
  {
    names: "dependency package library upgrade framework bump sdk runtime outdated third_party version_bump",
    signs: [
      "npm yarn pnpm pip maven gradle nuget cargo gem composer renovate dependabot snyk eol end_of_life out_of_support unsupported newer latest major minor patched lts deprecated",
      "node jdk java python ruby react angular vue django rails spring spring_boot log4j lodash dotnet #net swift typescript webpack vite move_to go_to lockfile transitive",
      "breaking_changes behind swap update #version current jackson express eslint kotlin golang php laravel flask numpy jquery get_to still_on old_version newest",
    ].join(" "),
  },
  {
    names: "database schema table column migration migrate sql db index backfill",
    signs: [
      "postgres postgresql mysql mariadb oracle sqlite mongo nullable not_null varchar bigint int integer decimal constraint foreign_key unique uniqueness partial_index alter drop rename",
      "rows row primary_key enum jsonb timestamptz timestamp uuid normalise downtime lock locking ddl flyway liquibase alembic field type datatype split_up char nvarchar",
    ].join(" "),
  },
  {
    names: "incident outage production_down emergency live_incident degraded sev on_call",
    signs: [
      "down 502 503 500 504 #status pager pagerduty opsgenie sev1 sev2 p1 p0 firing alert alarm urgent everyone nobody nobody_can all_customers cannot_work unreachable unavailable",
      "offline mitigate roll_back rollback time_out timing_out war_room on_fire burning bridge right_now minutes_ago ago immediately status_page dead dying help now error_rate",
      "spiking climbing phones hotline whole entire widespread failover stopped stop_going can't_log asap not_loading not_load anybody went_off climb melt out_of_connection pagerduty unable_to no_one_can log_in",
    ].join(" "),
  },
  {
    names: "postmortem post_mortem incident_report blameless retrospective write_up root_cause_analysis rca",
    signs: "learnings lessons action_items follow_up went_wrong what_happened retro five_whys closed resolved over timeline gather last_week incident outage inc died account closed_this_morning account_of",
  },
  {
    names: "test tests coverage unit_test e2e end_to_end write_tests automated_test",
    signs: [
      "spec jest vitest junit pytest playwright cypress selenium xunit nunit xctest espresso testing_library testing flaky untested cover covered uncovered regression safety_net assert",
      "mock fixture mutation nail_down pin pin_down guard protect intermittently intermittent rerun snapshot cases scenario scenarios characterisation property_based",
    ].join(" "),
  },
  {
    names: "documentation docs doc guide readme manual article tutorial handbook user_guide help_page write_docs",
    signs: [
      "document undocumented runbook wiki confluence howto how_to reference openapi swagger section explain describe screenshot setup_section outdated docstring javadoc",
      "help_centre help_center faq knowledge_base instructions page quick_reference release_notes write_down nobody_knows paragraph chapter leaflet description still_says still_talks_about update out_of_date brochure",
    ].join(" "),
  },
  {
    names: "security vulnerability pentest penetration attacker weakness threat exploit security_finding cve",
    signs: [
      "xss csrf sqli injection leak leaked secret credential password token api_key key rotate rotation hackerone bounty bug_bounty auditor hole idor auth authorisation privilege escalation",
      "abuse malicious phishing hardcoded plaintext plain_text encryption ssrf rce owasp scanner trivy snyk harden disclose expose exposed breach revoke committed unauthenticated",
      "session_fixation brute_force steal somebody_could anyone_can without_logging without_login pentester researcher advisory",
    ].join(" "),
  },
  {
    names: "performance speed slow latency profile profiling tuning fast speeds_up optimise optimize",
    signs: [
      "sluggish lag laggy takes take took p95 p99 bottleneck memory heap gc cpu second #time #size quick quicker faster slower throughput cache bundle rerender lcp lighthouse snappy",
      "crawl eat spinner timeout hot_path load_time loading response_time resource minute hour forever grow growing bloat snail drag ages wait waiting hog slim ram oom n_1 hang get_below get_under used_to_finish used_to_take went_from below",
    ].join(" "),
  },
  {
    names: "infrastructure infra terraform kubernetes cluster environment provision hosting helm platform_change",
    signs: [
      "k8s namespace pod node server vm ec2 s3 bucket aws azure gcp cloud dns cert certificate tls vpn firewall load_balancer ingress autoscaling autoscale scale replica quota monitoring",
      "grafana prometheus alert_rule alert runner ci_runner agents build_agent jenkins docker container registry vpc subnet iam resize disk volume cron ansible kafka redis limit storage",
      "instance domain subdomain tunnel secrets_manager vault ip allowlist whitelist machine rbac staging sandbox_environment",
    ].join(" "),
  },
  {
    names: "release version tag publish ship rollout deploy deployment",
    signs: [
      "changelog canary roll_out promote production live go_live push_live go_out customers app_store testflight play_store google_play store hotfix rc candidate cut semver #version get_out",
      "npm merged signing submit testers put_on redeploy staging preview off_you_go prod push sdk",
    ].join(" "),
  },
  {
    names: "translate translation localise localize localisation localization language locale i18n l10n",
    signs: [
      "french german spanish italian dutch portuguese polish czech swedish danish norwegian finnish japanese chinese korean arabic turkish russian hindi hebrew greek ukrainian hungarian",
      "romanian english wording strings glossary texts untranslated placeholder xliff po rtl crowdin lokalise transifex mistranslated #locale speakers native bilingual",
    ].join(" "),
  },
  {
    names: "payment pay payments psp checkout payment_method payment_provider billing",
    signs: "klarna paypal stripe adyen mollie apple_pay google_pay card sepa twint ideal pix wallet bnpl instalments refund chargeback invoice charge provider contract subscription",
  },
  {
    names: "reconcile reconciliation settlement ledger payout compares difference bookkeeping",
    signs: "match matched matching books statement add_up adds_up differ discrepancy balance bank amount tally left_over unmatched finance accounting pair_up check_against cents",
  },
  {
    names: "import load loads feed ingest brought_in data_import bring_in onboard_data",
    signs: "excel xlsx spreadsheet csv tsv dump upload bring_over take_over map attributes columns sftp ftp xml zip etl get_them_in bulk export rows lines attached moving_over dry_run legacy_system",
  },
  {
    names: "warehouse dbt report dashboard dataset analytics etl data_pipeline data_model figures analyst metric kpi bi",
    signs: [
      "numbers figure bigquery snowflake redshift airflow dag backfill looker tableau power_bi cohort aggregate stale reload refresh chart query monthly weekly lakehouse spark",
      "reporting duplicated_rows revenue rerun partition source_of_truth freshness",
    ].join(" "),
  },
  {
    names: "train training retrain machine_learning ml classifier inference evaluation model_training prediction",
    signs: "accuracy drift finetune fine_tune labels labelled evaluate epoch embeddings gpu precision recall checkpoint dataset model recommender ranking weights hyperparameter",
  },
  {
    names: "mobile app ios android testflight app_store",
    signs: "google_play play_store xcode swift kotlin apk ipa aab iphone ipad tablet phone testers store_listing store",
  },
  {
    names: "refactor refactoring restructure clean_up cleanup simplify technical_debt tech_debt restructuring",
    signs: [
      "rename split extract untangle decouple dead_code dead duplication duplicated copy_paste messy spaghetti modularise tidy rework god_class unused dedupe consolidate move disentangle",
      "without_changing same_behaviour behaviour readable unreadable smaller break_up carve lines_long merge_into",
    ].join(" "),
  },
  {
    names: "lint format formatting linter coding_style style_check standards lint_errors type_errors",
    signs: "eslint prettier oxlint black ruff checkstyle warning tsc mypy indentation trailing_whitespace conventions",
  },
  {
    names: "ci pipeline build_pipeline continuous_integration ci_pipeline build_failure",
    signs: "red failing_build broken_build github_actions jenkins gitlab_ci circleci job green build_time workflow_file main_is_red build step nightly_build",
  },
  {
    names: "accessibility a11y wcag screen_reader accessible",
    signs: "keyboard contrast aria alt_text voiceover nvda jaws focus tab_order blind colour_blind color_blind axe labels tab magnify",
  },
  {
    names: "onboard onboarding newcomer new_colleague new_hire new_developer joiner offboarding",
    signs: "joins starts_on starts_monday starts first_day tour show_around mentor buddy intern accounts laptop get_started new_here day_one lead_through",
  },
  {
    names: "privacy gdpr compliance regulatory audit_evidence data_protection legal regulation",
    signs: "retention deletion delete personal_data erasure erase consent iso soc2 auditor evidence risk traceability dpia data_subject mdr notified_body right_to_be_forgotten export_of_data pii",
  },
  {
    names: "feature_flag flag toggle experiment ab_test rollout_flag",
    signs: "turn_on turn_off switch_on switch_off enable disable launchdarkly unleash percent variant stale_flag hypothesis",
  },
  {
    names: "merge_conflict conflict rebase resolve_conflict",
    signs: "diverged behind_main rebase cherry_pick conflicting out_of_sync update_the_branch",
  },
  {
    names: "interview user_research research survey usability",
    signs: "participants questions quotes users personas respondents questionnaire findings",
  },
  {
    names: "issue ticket create_issue backlog triage bug_report",
    signs: "file open write_up jira linear labels report_it log_it record_it steps label",
  },
  {
    names: "backup restore disaster_recovery recovery",
    signs: "snapshot deleted accidentally bring_back point_in_time dump recover lost retention",
  },
  {
    names: "cost costs spending finops savings cloud_cost budget",
    signs: "bill expensive spend cheaper save oversized idle unused waste euros dollars invoice",
  },
  {
    names: "integration connector connect interface adapter api_integration partner mapping webhook",
    signs: "hook_up integrate endpoint oauth sandbox third_party feed api connect vendor sync hl7 fhir edi",
  },
  {
    names: "access permission grant account role user_management sso",
    signs: "invite revoke login rights read_only admin group team_member membership deactivate unlock reset",
  },
  {
    names: "firmware device embedded hardware ota iot",
    signs: "flash sensor board bootloader gateway fleet brick bricked controller chip",
  },
  {
    names: "monitoring alerting observability alert_rule dashboard_alert slo logging",
    signs: "grafana prometheus datadog sentry alert noisy pages threshold metric trace log panel burn_rate silence notify",
  },
  {
    names: "api_change endpoint api rest graphql contract openapi",
    signs: "deprecate version_2 v2 breaking clients schema_change swagger request response payload",
  },
];

/** How much a field counts that is only hinted at, in the text of a workflow. */
const hint = 0.2;
/** Words that stand for many fields say little about each. */
const longest = 4;

const signs: ReadonlyMap<string, readonly (readonly [field: string, isName: boolean])[]> = (() => {
  const all = new Map<string, Map<string, boolean>>();
  for (const [at, { names, signs: other }] of fields.entries())
    for (const [text, isName] of [[other, false] as const, [names, true] as const])
      for (const word of text.split(" ")) {
        const key = word.split("_").map(stemWord).join(" ");
        all.set(key, (all.get(key) ?? new Map<string, boolean>()).set(`=${at}`, isName));
      }
  return new Map([...all].map(([key, of]) => [key, [...of]] as const));
})();

/** Every single word of the list, in its basic form. */
export const fieldWords: ReadonlySet<string> = new Set([...signs.keys()].filter((key) => !key.includes(" ")));

/** How strongly words, in their basic form and order, point to each field. `naming`: in the text of a workflow. */
export function fieldsOf(words: readonly string[], naming: boolean): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const seen = new Set<string>();
  for (let at = 0; at < words.length; at += 1)
    for (let length = 1; length <= longest; length += 1) {
      const key = words.slice(at, at + length).join(" ");
      const of = signs.get(key);
      if (of === undefined || (!naming && seen.has(key))) continue;
      seen.add(key);
      for (const [field, isName] of of) {
        const counts = naming ? (isName ? 1 : hint) : (isName ? 1.2 : 1) / Math.sqrt(of.length);
        found.set(field, (found.get(field) ?? 0) + counts);
      }
    }
  return found;
}
