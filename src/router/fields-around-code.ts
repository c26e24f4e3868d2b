import type { FieldOfWork } from "./field-of-work.ts";

/** What is done around the code: where it runs, how it reaches people, and with data and people. */
export const fieldsAroundCode: readonly FieldOfWork[] = [
  {
    names:
      "infrastructure infra terraform kubernetes cluster environment provision hosting helm cloud pod memory_limit load_balancer bucket namespace dns eks gke aks node_group certificate vpn network test_environment",
    signs: `
      k8s node server vm ec2 s3 aws azure gcp cert tls firewall ingress autoscaling autoscale scale replica quota monitoring grafana prometheus
      alert_rule runner ci_runner build_agent jenkins docker container registry vpc subnet iam resize disk volume cron ansible kafka redis limit
      storage instance domain subdomain tunnel secrets_manager vault ip allowlist whitelist machine rbac new_environment staging_environment
      sandbox_environment point_to hostname spin_up more_memory bigger decommission tear_down cpu_limit point_track disk_usage db_node alarm
      dashboard_and expire expires renew gpu_node ingest_lag node_pool peering passes data_centre data_center stand_up beef_up scale_out scale_up
      bigger_box cname dns_record iam_role helm_chart autoscaler egress cronjob cron_job service_account managed_identity virtual_machine static_ip
      wildcard
    `,
  },
  {
    names: "release version tag publish ship release_train app_store release_note",
    signs: `
      changelog canary promote go_out testflight play_store google_play store hotfix rc candidate cut semver #version get_out npm merged signing
      submit tester off_you_go open_it_up internal_track sdk package release_branch everyone_on roll_out production live push signed_off bring_to
      next_wave wave percent_of ship_it bump_the_version cut_a release_candidate new_build into_production to_production
    `,
  },
  {
    names: "deploy deployment redeploy rollout",
    signs: `
      staging production prod put_on go_live push_live live roll_back rollback preview push roll_out promote environment switch_over blue_green
      ship_to
    `,
  },
  {
    names: "translation translate #locale localise localize localisation localization language i18n l10n",
    signs: `
      french german spanish italian dutch portuguese polish czech swedish danish norwegian finnish japanese chinese korean arabic turkish russian
      hindi hebrew greek ukrainian hungarian romanian flemish catalan thai vietnamese english wording string glossary text untranslated placeholder
      xliff xlf po_file rtl crowdin lokalise transifex mistranslated speaker native bilingual deutsche deutsch französisch #language lithuanian
      latvian estonian slovak slovenian croatian serbian bulgarian icelandic irish welsh basque indonesian malay bengali urdu farsi persian tamil
      brazilian mandarin still_english multilingual hungary übersetzen übersetzung traduire traduction traducir romansh luxembourgish maltese italy
      spain france germany portugal poland brazil japan in_german in_french cut_off shorter_word overlong localised wording_in copy_in mistranslation
      language_file
    `,
  },
  {
    names: "payment pay psp payment_method payment_provider billing",
    signs: `
      klarna paypal stripe adyen mollie apple_pay google_pay card sepa twint ideal pix wallet bnpl instalment refund chargeback invoice charge
      provider contract subscription shopper
    `,
  },
  {
    names: "reconcile reconciliation settlement ledger payout compare difference bookkeeping",
    signs: `
      match unmatched book statement add_up differ discrepancy balance bank amount tally left_over finance accounting pair_up pair_them check_against
      cent paid_out off_by line_by_line
    `,
  },
  {
    names: "import load feed ingest brought_in data_import bring_in bulk_load",
    signs: `
      excel xlsx spreadsheet csv tsv dump upload bring_over take_over map attribute sftp ftp xml zip etl get_them_in bulk attached moving_over dry_run
      trial_run legacy_system onto_our from_their their_export price_list tariff sheet valid_from into_the engine fetch_again re_read gap missing_data
      recompute recalculate
    `,
  },
  {
    names:
      "warehouse dbt dashboard dataset analytics etl data_pipeline data_model figure analyst metric kpi bi sales_report monthly_report weekly_report",
    signs: `
      number bigquery snowflake redshift airflow dag backfill looker tableau power_bi cohort aggregate stale reload refresh chart lakehouse spark
      reporting revenue partition freshness dim_ fact_ scd2 keep_history dimension data_mart stale_number figures_off dashboards extract query_result
      data_quality snapshot_table metrics_table wrong_number report_for report_on breakdown retention
    `,
  },
  {
    names: "train training retrain machine_learning ml classifier inference model_training prediction recommender",
    signs: `
      accuracy drift finetune fine_tune labelled evaluate epoch embeddings gpu precision recall checkpoint dataset model ranking hyperparameter
      false_positive score_distribution train_again drifted off_by newer_data forecast estimate
    `,
  },
  {
    names: "mobile driver_app mobile_app ios android testflight app_store play_store",
    signs: "google_play xcode swift kotlin apk ipa aab iphone ipad tablet phone tester store_listing store app_review",
  },
  {
    names: "refactor refactoring restructure clean_up cleanup simplify technical_debt tech_debt",
    signs: `
      rename split extract untangle decouple dead_code duplication copy_paste copy_pasted messy mess spaghetti modularise tidy rework god_class unused
      dedupe consolidate disentangle without_changing same_behaviour behaviour readable unreadable smaller break_up carve merge_into too_many_things
      nobody_understand
    `,
  },
  {
    names: "lint format formatting linter coding_style style_check standard lint_error type_error",
    signs: "eslint prettier oxlint black ruff checkstyle warning tsc mypy indentation trailing_whitespace convention",
  },
  {
    names: "ci pipeline build_pipeline continuous_integration ci_pipeline build_failure",
    signs: "red failing_build broken_build github_actions jenkins gitlab_ci circleci job green build_time workflow_file nightly_build",
  },
  {
    names: "accessibility a11y wcag screen_reader accessible",
    signs: "keyboard contrast aria alt_text voiceover nvda jaws focus tab_order blind colour_blind color_blind axe magnify",
  },
  {
    names: "onboard onboarding newcomer new_colleague new_hire new_developer joiner",
    signs: "join starts_on starts_monday first_day tour show_around mentor buddy intern laptop get_started new_here day_one lead_through",
  },
  {
    names: "privacy gdpr compliance regulatory audit_evidence data_protection regulation technical_documentation",
    signs: `
      retention deletion delete_all personal_data erasure erase consent iso soc2 auditor evidence risk traceability dpia data_subject mdr
      notified_body pii matrix assessment audit legal
    `,
  },
  {
    names: "merge_conflict conflict rebase merge resolve_conflict",
    signs: "diverge behind_main cherry_pick conflicting update_the_branch",
  },
  {
    names: "interview user_research research survey usability",
    signs: "participant question quote persona respondent questionnaire",
  },
  {
    names: "issue ticket create_issue triage bug_report",
    signs: "file write_up jira linear label report_it log_it record_it open_an open_a",
  },
  {
    names: "backup restore disaster_recovery recovery",
    signs: "snapshot deleted accidentally bring_back dump recover lost retention restored",
  },
  {
    names: "cost spending finops saving cloud_cost budget",
    signs: "bill expensive spend cheaper oversized idle waste euro dollar",
  },
  {
    names: "integration connector connect interface adapter mapping map webhook",
    signs: `
      hook_up integrate endpoint oauth sandbox feed api vendor sync hl7 fhir edi receive pass_on partner segment nothing_exists their_system
      signed_with lockers carrier their_api
    `,
  },
  {
    names: "trace follow message lost happened find_out tracing forensic",
    signs: `
      where_it_went where_did never_got never_arrived refuse reject reason came_back got_stuck what_became_of ever_left went_missing why_was
      why_it_was arrive lookup
    `,
  },
  {
    names: "access permission grant user_management sso access_right",
    signs: `
      account role invite revoke login right read_only admin deactivate unlock reset give_access needs_access access_to locked_out
    `,
  },
  {
    names: "firmware device embedded hardware ota iot",
    signs: "flash sensor board bootloader gateway fleet brick controller chip next_wave",
  },
  {
    names: "monitoring alerting observability alert_rule slo logging",
    signs: "grafana prometheus datadog sentry alert noisy threshold metric log panel burn_rate silence notify wake",
  },
  {
    names:
      "data_correction data_fix correct_data repair_data stored_data repair_record correct_record wrong_record backfill recompute re_run_pipeline rerun_pipeline stored_data_is missing_partition stored",
    signs: `
      record row set_right set_them_right booked_twice counted_twice doubled duplicate_record merge_the_two reverse one_off in_prod stored_one old_row
      old_record old_day past_day gap hole missing_day missing_row no_row calculate_again recalculate recomputed fill_them_in never_made_it get_those
      after_the_fact wrong_value carry_the_wrong lost_the restore reload reprocess replay purge orphan leading_zero script four_eye dry_run
      must_be_repaired
    `,
  },
  {
    names: "analysis ad_hoc ad_hoc_analysis one_off_question data_question chart comparison insight data_analysis answer_question",
    signs: `
      how_many how_much how_often what_share share_of which_country percentage percent_of median average mean distribution correlate correlation
      differ difference compare versus breakdown break_down by_country by_platform by_month per_month per_week per_region top_10 top_20 top_50 spent
      churn retention cohort conversion pull_that pull_the pull_me get_me give_me the_number figure trend funnel usage plot graph csv board_deck
      one_pager last_quarter in_q1 in_q2 in_q3 in_q4 two_week pick_out whether_people whether_user
    `,
  },
  {
    names: "rewrite rewrites port_to port_from porting code_migration convert reimplement from_oracle",
    signs: `
      rust cobol plsql pl_sql convert parity same_behaviour old_one old_code throw_away get_rid_of redo behind_the_same reimplementation
    `,
  },
];
