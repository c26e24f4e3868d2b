/** A kind of work on software. Words that are joined by `_` follow one another. Shapes such as `#time` are those of `words-of.ts`. */
interface FieldOfWork {
  /** Words with which a workflow says that it does this. */
  readonly names: string;
  /** What people write who need it. */
  readonly signs: string;
  /** It rather says what the work is about: people may want anything to be done there. */
  readonly isArea?: true;
}

export const fieldsOfWork: readonly FieldOfWork[] = [
  {
    names: "bug defect fix repair regression broken crash fault bugfix misbehave troubleshoot debug wrongly #error #trace",
    signs: `
      error exception glitch wrong incorrect incorrectly fail failure throw stuck blank disappear vanish lose duplicate duplicated twice nan
      undefined freeze hang squash repro reproduce symptom weird odd reject mismatch corrupt truncate flicker overlap shouldn't_happen
      should_not_happen doesn't_work does_not_work not_work no_longer stopped_work correct solve resolve sort_out sort_this_out off_by cut_off
      nothing_happens issue problem #status drop jump jumps_back garbled double unexpectedly randomly sometimes safari firefox chrome bounce
      swallow malfunction invalid inconsistent instead_of put_right put_that_right get_right got_right got_it_right get_that_right make_it_stop
      wipe land_on used_to_work used_to_stay since_yesterday since_the stack_trace log_attached miscalculate ticket off_by_one timezone broke
      steps_to_reproduce expected support_ticket typo_in_code should_be but_get says_instead greyed_out misaligned crooked race_condition
      memory_corruption pop_up right_again anymore get_to_the_bottom happens_every_time every_time puts_the_same same_twice not_saved
      cannot_be_saved shows_wrong panic out_of_range traceback segfault core_dump 500 #wrong culprit chase_down chase_this_down loop
      find_the_cause panicked does_nothing second_page rounding_error rounds_wrong rounded_wrong void
    `,
  },
  {
    names: "feature functionality capability implement build develop user_story enhancement new_functionality",
    signs: `
      add introduce create option button toggle screen field filter allow let_user let_customer let_owner let_people let_them enable able_to
      should_be_able spec acceptance_criteria mockup figma wishlist epic requirement ability support_for no_way_to not_possible cannot_yet
      dropdown widget form view refined estimated prototype wireframe endpoint signed_off sign_off notification reminder checkbox picker dark_mode
      switchable user_want story as_a i_want_to so_that product_said prioritise nothing_like backlog undo one_click asking_for beg wish new_page
      new_screen new_button export_button search_box customise configurable setting extend first_version mvp integrate #let let_planner
      would_like_to want_to_be_able to_be_able groomed bulk give_customer give_user give_people a_way_to window_to possibility give_the
      so_they_can instead_of_typing compare approved exist_yet doesn't_exist not_exist nothing_exists
    `,
  },
  {
    names: "pull_request pr diff code_review review branch reviewer merge_request mr",
    signs: `
      eyes pair_of_eyes look_over look_at go_over comment remark feedback approve approval lgtm nit inline before_merge before_i_merge to_merge
      merged_yet patch read_through go_through critically push commit thumbs_up complaint sanity_check ready_for_review second_opinion #pr #n
      opinion go_over_my comments_on my_changes changeset before_merging hit_merge looking_for_a_reviewer code_i_pushed check_the_code comment_on
    `,
  },
  {
    names: "design document rfc adr architecture proposal concept design_doc architecture_doc written_design diagram design_text paper",
    signs: `
      objection poke_hole hole hold_water assumption alternative feasibility c4 whitepaper draft tradeoff overlook critique opinion
      decision_record blueprint failure_mode could_go_wrong feedback weak_point think_through write_up memo no_code plan_for sketch challenge
      tear_apart second_reader shaky open_question risk scrutinise scrutinize critical_read solution_concept doc_is event_driven
    `,
  },
  {
    names: "dependency package library upgrade framework bump sdk runtime outdated third_party version_bump module component",
    signs: `
      npm yarn pnpm pip maven gradle nuget cargo composer renovate dependabot snyk eol end_of_life out_of_support unsupported newer latest major
      minor patched lts deprecated node jdk java python ruby react angular vue django rails spring spring_boot log4j lodash #net #upgrade swift
      typescript webpack vite move_to go_to take_us_to get_it_to still_on lockfile transitive breaking_change behind update #version jackson
      express eslint kotlin golang php laravel flask numpy jquery newest old_version openssl go_module base_image pin_to release_of ancient pandas
      clear_the_queue get_us_to two_majors majors replace_it_with_a_current piling_up rebuild_everything rustc crate compiler debian alpine ubuntu
      get_rid_of_all swap_for replace_with ruby_gem
    `,
  },
  {
    names: "database schema table column migration migrate sql db index backfill hypertable",
    signs: `
      postgres postgresql mysql mariadb oracle sqlite mongo dynamodb cassandra nullable not_null varchar bigint int integer decimal constraint
      foreign_key unique uniqueness partial_index alter drop rename row primary_key enum jsonb timestamptz timestamp uuid normalise downtime ddl
      flyway liquibase alembic datatype split_up char nvarchar way_back dbo lookup_table shard partition soft_delete stored_procedure
      default_value #column extra_column flag_stored stored_with compression_policy retention_policy first_name store
    `,
  },
  {
    names: "incident outage production_down emergency live_incident degraded sev on_call production_is_down",
    signs: `
      is_down are_down went_down goes_down all_down down_again down_! 502 503 500 504 #status pager pagerduty opsgenie sev1 sev2 sev_1 sev_2 p1 p0
      fire alert urgent nobody_can no_one_can everyone_is for_everyone all_customer cannot_work unreachable unavailable offline mitigate roll_back
      rollback time_out timing_out war_room on_fire burn bridge right_now minute_ago immediately status_page help error_rate spike climb phone
      hotline widespread failover stop_going can't_log asap not_loading not_load went_off melt out_of_connection unable_to blank explode
      lost_login all_went for_anybody for_all every_customer get_on_this get_on_it jump_on_it customer_affected prod mass_failure since_#hour
      for_everybody everybody customer_are_calling in_all all_hand can't_leave cannot_leave nothing_is nothing_works is_not_loading take_over
      all_region all_site halt standstill #wrong no_data not_arriving nothing_arrives ring off_the_hook take_the_lead crash half_way no_reading
      helppp en_masse kick players_get
    `,
  },
  {
    names: "postmortem post_mortem incident_report blameless retrospective write_up root_cause_analysis rca incident_review",
    signs: `
      learning lesson action_item follow_up went_wrong what_happened retro five_whys timeline last_week incident outage inc account_of last_night
      yesterday's contributing_factor summary_of_the_outage is_resolved been_resolved was_closed is_closed is_over back_to_normal file_the_report
      do_better prevent_it write_it_up report_the_outage what_we_learned regulator_report
    `,
  },
  {
    names: "test coverage unit_test e2e end_to_end write_test automated_test regression_test test_suite",
    signs: `
      spec jest vitest junit pytest playwright cypress selenium xunit nunit xctest espresso testing_library testing flaky untested cover uncovered
      regression safety_net assert assertion mock fixture mutation nail_down pin pin_down guard protect intermittently intermittent rerun snapshot
      case parameterised scenario characterisation property_based stabilise stable one_run_in rspec phpunit contract_test integration_test
      load_test edge_case #test one_time_in make_it_reliable fails_one reliable unreliable zero_tests every_third no_reason make_it_stable
      red_every flake
    `,
  },
  {
    names: "doc guide readme manual article tutorial handbook user_guide help_page runbook wiki portal",
    signs: `
      undocumented confluence howto how_to reference openapi swagger section explain describe screenshot setup_section docstring javadoc
      help_centre help_center faq knowledge_base instruction quick_reference release_note write_down nobody_know chapter description still_say
      still_talk_about update out_of_date brochure getting_started step_by_step pdf reader playbook cheat_sheet write_a_page a_page_that
      old_screen how_it_works for_beginners can_read walkthrough still_mention mention rewrite add_a_page write_docs how_tos refresh_it
    `,
  },
  {
    names: "security vulnerability pentest penetration attacker weakness threat exploit security_finding cve security_review scanner_alert",
    signs: `
      xss csrf sqli injection leak leaked secret credential password token api_key key rotate rotation hackerone bounty bug_bounty auditor hole
      idor auth authorisation privilege escalation abuse malicious phishing hardcoded plaintext plain_text encryption ssrf rce owasp scanner trivy
      snyk harden disclose expose exposed breach revoke commit unauthenticated session_fixation brute_force steal somebody_could anyone_can
      without_logging without_login pentester researcher advisory critical dependabot npm_audit suspicious hacked spoof tamper bypass
      permission_check publicly guessable enumerate gap scrub git_history key_in posted pastebin editing_the_url changing_the_id
      change_it_everywhere can_see_the see_other other_people's neighbour's affects_our assess advisories be_guessed cheat plug somebody_found
      players_found found_a_way gain
    `,
  },
  {
    names:
      "performance speed slow latency profile profiling tuning fast speed_up optimise optimize performance_problem bottleneck response_time #time",
    signs: `
      sluggish lag laggy lags janky jank smooth p95 p99 p50 memory heap gc cpu #size quick quicker slower throughput cache bundle rerender lcp
      lighthouse snappy crawl eat spinner hot_path load_time loading resource grow growing bloat snail ages takes_ages wait_for hog slim ram oom
      n_1 get_below get_under used_to_finish used_to_take used_to_end used_to_run went_from takes_too takes_minute takes_hour takes_almost
      takes_over takes_more take_long too_long too_much faster half_the_time fps frame_rate scroll query_plan full_scan slows number_before
      nightly_run timeout painfully trim bring_down bring_that_down bring_it_down eats_all snappier cpu_of cpu_is drags_on below_#time under_#time
      takes_forever leak in_half cut_it_in_half frame
    `,
  },
  {
    names:
      "infrastructure infra terraform kubernetes cluster environment provision hosting helm cloud pod memory_limit load_balancer bucket namespace dns eks gke aks node_group certificate vpn network test_environment",
    signs: `
      k8s node server vm ec2 s3 aws azure gcp cert tls firewall ingress autoscaling autoscale scale replica quota monitoring grafana prometheus
      alert_rule runner ci_runner build_agent jenkins docker container registry vpc subnet iam resize disk volume cron ansible kafka redis limit
      storage instance domain subdomain tunnel secrets_manager vault ip allowlist whitelist machine rbac new_environment staging_environment
      sandbox_environment point_to hostname spin_up more_memory bigger decommission tear_down set_up_an_alert cpu_limit point_track
      raise_the_limit disk_usage db_node alarm dashboard_and expire expires renew gpu_node ingest_lag node_pool peering passes data_centre
      data_center
    `,
  },
  {
    names: "release version tag publish ship release_train app_store release_note",
    signs: `
      changelog canary promote go_out testflight play_store google_play store hotfix rc candidate cut semver #version get_out npm merged signing
      submit tester off_you_go out_the_door open_it_up internal_track sdk package release_branch everyone_on roll_out production live push
      bring_it_to signed_off bring_to get_the_fix_out as_a_hotfix main_is_green next_wave wave percent_of
    `,
  },
  {
    names: "deploy deployment redeploy rollout",
    signs:
      "staging production prod put_on go_live push_live live roll_back rollback preview push roll_out promote environment switch_over blue_green",
  },
  {
    names: "translation translate #locale localise localize localisation localization language i18n l10n",
    signs: `
      french german spanish italian dutch portuguese polish czech swedish danish norwegian finnish japanese chinese korean arabic turkish russian
      hindi hebrew greek ukrainian hungarian romanian flemish catalan thai vietnamese english wording string glossary text untranslated
      placeholder xliff xlf po_file rtl crowdin lokalise transifex mistranslated #locale speaker native bilingual deutsche deutsch französisch
      #language lithuanian latvian estonian slovak slovenian croatian serbian bulgarian icelandic irish welsh basque indonesian malay bengali urdu
      farsi persian tamil brazilian mandarin still_english multilingual hungary italy spain france germany portugal poland brazil japan in_german
      in_french cut_off shorter_word overlong
    `,
  },
  {
    names: "payment pay psp payment_method payment_provider billing",
    signs: `
      klarna paypal stripe adyen mollie apple_pay google_pay card sepa twint ideal pix wallet bnpl instalment refund chargeback invoice charge
      provider contract subscription shopper
    `,
    isArea: true,
  },
  {
    names: "reconcile reconciliation settlement ledger payout compare difference bookkeeping",
    signs: `
      match unmatched book statement add_up differ discrepancy balance bank amount tally left_over finance accounting pair_up pair_them
      check_against cent paid_out off_by line_by_line
    `,
  },
  {
    names: "import load feed ingest brought_in data_import bring_in bulk_load",
    signs: `
      excel xlsx spreadsheet csv tsv dump upload bring_over take_over map attribute sftp ftp xml zip etl get_them_in bulk attached moving_over
      dry_run trial_run legacy_system onto_our from_their their_export price_list tariff sheet valid_from into_the engine fetch_again
      fetch_them_again re_read fill_the_gap gap missing_data recompute recalculate
    `,
  },
  {
    names:
      "warehouse dbt dashboard dataset analytics etl data_pipeline data_model figure analyst metric kpi bi sales_report monthly_report weekly_report",
    signs: `
      number bigquery snowflake redshift airflow dag backfill looker tableau power_bi cohort aggregate stale reload refresh chart lakehouse spark
      reporting revenue partition source_of_truth freshness dim_ fact_ scd2 keep_history dimension data_mart broken_down_by
    `,
  },
  {
    names: "train training retrain machine_learning ml classifier inference model_training prediction recommender",
    signs: `
      accuracy drift finetune fine_tune labelled evaluate epoch embeddings gpu precision recall checkpoint dataset model ranking hyperparameter
      false_positive score_distribution train_again train_it_again drifted off_by beat_the_current newer_data refresh_the_model forecast estimate
    `,
  },
  {
    names: "mobile driver_app mobile_app ios android testflight app_store play_store",
    signs: "google_play xcode swift kotlin apk ipa aab iphone ipad tablet phone tester store_listing store app_review",
    isArea: true,
  },
  {
    names: "refactor refactoring restructure clean_up cleanup simplify technical_debt tech_debt",
    signs: `
      rename split extract untangle decouple dead_code duplication copy_paste copy_pasted messy mess spaghetti modularise tidy rework god_class
      unused dedupe consolidate disentangle without_changing same_behaviour behaviour readable unreadable smaller break_up carve merge_into
      too_many_things in_one_place nobody_understand
    `,
  },
  {
    names: "lint format formatting linter coding_style style_check standard lint_error type_error",
    signs: "eslint prettier oxlint black ruff checkstyle warning tsc mypy indentation trailing_whitespace convention",
  },
  {
    names: "ci pipeline build_pipeline continuous_integration ci_pipeline build_failure",
    signs:
      "red failing_build broken_build github_actions jenkins gitlab_ci circleci job green build_time workflow_file main_is_red nightly_build",
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
      notified_body right_to_be_forgotten pii matrix assessment audit legal
    `,
  },
  {
    names: "merge_conflict conflict rebase resolve_conflict",
    signs: "diverge behind_main cherry_pick conflicting out_of_sync update_the_branch",
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
    signs: "snapshot deleted accidentally bring_back point_in_time dump recover lost retention restored",
  },
  {
    names: "cost spending finops saving cloud_cost budget",
    signs: "bill expensive spend cheaper oversized idle waste euro dollar",
  },
  {
    names: "integration connector connect interface adapter mapping map webhook",
    signs: `
      hook_up integrate endpoint oauth sandbox feed api vendor sync hl7 fhir edi receive pass_on partner segment nothing_exists their_system
      hook_them_up signed_with lockers carrier onboard_the_partner their_api
    `,
    isArea: true,
  },
  {
    names: "trace follow message lost happened find_out tracing forensic",
    signs: `
      where_it_went where_did never_got never_arrived refuse reject reason came_back got_stuck what_became_of ever_left went_missing why_was
      why_it_was arrive lookup
    `,
  },
  {
    names: "access permission grant account role user_management sso",
    signs: "invite revoke login right read_only admin group membership deactivate unlock reset",
  },
  {
    names: "firmware device embedded hardware ota iot over_the_air",
    signs: "flash sensor board bootloader gateway fleet brick controller chip next_wave of_the_devices",
    isArea: true,
  },
  {
    names: "monitoring alerting observability alert_rule slo logging",
    signs: "grafana prometheus datadog sentry alert noisy threshold metric log panel burn_rate silence notify wake",
  },
];
