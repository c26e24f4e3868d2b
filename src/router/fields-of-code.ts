import type { FieldOfWork } from "./field-of-work.ts";

/** What people do to the code and to what runs of it. */
export const fieldsOfCode: readonly FieldOfWork[] = [
  {
    names: "bug defect fix repair regression broken crash fault bugfix misbehave troubleshoot debug wrongly #error #trace",
    signs: `
      error exception glitch wrong incorrect incorrectly fail failure throw stuck blank disappear vanish lose duplicate duplicated twice nan undefined
      freeze hang squash repro reproduce symptom weird odd reject mismatch corrupt truncate flicker overlap shouldn't_happen doesn't_work not_work
      no_longer stopped_work correct solve resolve sort_out sort_this_out off_by cut_off nothing_happens issue problem #status drop jump jumps_back
      garbled double unexpectedly randomly sometimes safari firefox chrome bounce swallow malfunction invalid inconsistent instead_of put_right
      put_that_right get_right got_right got_it_right get_that_right make_it_stop wipe land_on used_to_stay since_yesterday since_the stack_trace
      log_attached miscalculate ticket off_by_one timezone broke steps_to_reproduce expected support_ticket should_be but_get says_instead greyed_out
      misaligned crooked race_condition memory_corruption pop_up right_again anymore get_to_the_bottom happens_every_time every_time same_twice
      not_saved shows_wrong panic traceback segfault core_dump 500 #wrong culprit chase_down loop find_the_cause panicked does_nothing second_page
      rounding_error rounds_wrong rounded_wrong void act_up misbehaving borked wonky busted hiccup messed_up screwed_up mangle negative unresponsive
      greyed can't_click won't_save won't_load won't_open keeps_resetting choke_on blow_up trip_over fall_over white_screen infinite_loop
      working_again work_again behave track_down straighten_out buggy faulty hunt ends_up_in get_swallowed wrong_total not_shown not_showing
      sent_twice sort_that_out sort_it_out put_right go_away comes_out get_it_corrected off_my_hands out_of_bounds when_i whenever_i goes_white
      logged_out fehler beheben behebe stürzt_ab abstürzt kaputt bogue corriger
    `,
  },
  {
    names: "feature functionality capability implement build develop user_story enhancement new_functionality",
    signs: `
      add introduce create option button toggle screen field filter allow let_user let_customer let_owner let_people let_them enable able_to
      should_be_able spec acceptance_criteria mockup figma wishlist epic requirement ability support_for no_way_to not_possible cannot_yet dropdown
      widget form view refined estimated prototype wireframe endpoint signed_off sign_off notification reminder checkbox picker dark_mode switchable
      user_want story as_a i_want_to so_that product_said prioritise nothing_like backlog undo one_click asking_for beg wish new_page new_screen
      new_button export_button search_box customise configurable setting extend first_version mvp integrate #let let_planner would_like_to to_be_able
      groomed bulk give_customer give_user give_people a_way_to window_to possibility give_the compare approved exist_yet doesn't_exist not_exist
      nothing_exists make_it_possible offer opt_out bulk_action self_service prd whip_up wire_up option_to option_for extra_field new_endpoint new_tab
      #option flag learn in_addition_to einbauen hinzufügen ajouter añadir funktion
    `,
  },
  {
    names: "pull_request pr diff code_review review branch reviewer merge_request mr",
    signs: `
      eyes pair_of_eyes look_over look_at go_over comment remark feedback approve approval lgtm nit inline before_merge before_i_merge to_merge
      merged_yet patch read_through go_through critically push commit thumbs_up complaint sanity_check second_opinion #pr #n opinion comments_on
      my_changes changeset before_merging hit_merge comment_on pair_of_eye nitpick vet before_it_lands before_it_goes_in my_diff cr stamp another_look
      wants_to_merge unreviewed anschauen drüberschauen relire
    `,
  },
  {
    names: "design document rfc adr architecture proposal concept design_doc architecture_doc written_design diagram design_text paper",
    signs: `
      objection poke_hole hole hold_water assumption alternative feasibility c4 whitepaper draft tradeoff overlook critique opinion decision_record
      blueprint failure_mode could_go_wrong feedback weak_point think_through write_up memo no_code plan_for sketch challenge tear_apart second_reader
      shaky open_question risk scrutinise scrutinize critical_read solution_concept doc_is event_driven one_pager tech_spec stress_test
      devil's_advocate blind_spot weak_spot weakness trade_off pick_apart pull_apart
    `,
  },
  {
    names: "dependency package library upgrade framework bump sdk runtime outdated third_party version_bump module component",
    signs: `
      npm yarn pnpm pip maven gradle nuget cargo composer renovate dependabot snyk eol end_of_life out_of_support unsupported newer latest major minor
      patched lts deprecated node jdk java python ruby react angular vue django rails spring spring_boot log4j lodash #net #upgrade swift typescript
      webpack vite move_to go_to take_us_to still_on lockfile transitive breaking_change behind update #version jackson express eslint kotlin golang
      php laravel flask numpy jquery newest old_version openssl go_module base_image pin_to release_of ancient pandas two_majors majors piling_up
      rebuild_everything rustc crate compiler debian alpine ubuntu swap_for replace_with ruby_gem catch_up get_us_onto move_off retire swap_out
      lag_behind years_old stale_dep unmaintained abandoned peer_dependency toolchain latest_lts is_out aktualisieren
    `,
  },
  {
    names: "database schema table column migration migrate sql db index backfill hypertable",
    signs: `
      postgres postgresql mysql mariadb oracle sqlite mongo dynamodb cassandra nullable not_null varchar bigint int integer decimal constraint
      foreign_key unique uniqueness partial_index alter drop rename row primary_key enum jsonb timestamptz timestamp uuid normalise downtime ddl
      flyway liquibase alembic datatype split_up char nvarchar way_back dbo lookup_table shard partition soft_delete stored_procedure default_value
      #column extra_column flag_stored stored_with compression_policy retention_policy first_name store widen fk archive_old composite_index cascade
      trigger view collation charset timestamp_column boolean_column denormalise orphan_rows dedupe_rows
    `,
  },
  {
    names: "incident outage production_down emergency live_incident degraded sev on_call production_is_down",
    signs: `
      is_down are_down went_down goes_down all_down down_again down_! 502 503 500 504 #status pager pagerduty opsgenie sev1 sev2 sev_1 sev_2 p1 p0
      fire alert urgent nobody_can everyone_is for_everyone all_customer cannot_work unreachable unavailable offline mitigate roll_back rollback
      time_out timing_out war_room on_fire burn bridge right_now minute_ago immediately status_page help error_rate spike climb phone hotline
      widespread failover stop_going can't_log asap not_loading not_load went_off melt out_of_connection unable_to blank explode lost_login all_went
      for_anybody for_all every_customer get_on_this get_on_it jump_on_it customer_affected prod mass_failure since_#hour for_everybody everybody
      in_all all_hand can't_leave cannot_leave nothing_is nothing_works take_over all_region all_site halt standstill #wrong no_data not_arriving
      nothing_arrives ring take_the_lead crash half_way no_reading helppp en_masse kick players_get hard_down tanking toast blackout meltdown sev0
      firefight drop_everything alarms customers_can't users_can't cannot_reach can't_reach brownout bleeding production_issue mitigation to_everybody
      previous_version calls_coming customers_calling take_charge take_the_lead back_up ausfall en_panne it_back_up
    `,
  },
  {
    names: "postmortem post_mortem incident_report blameless retrospective write_up rca incident_review",
    signs: `
      learning lesson action_item follow_up went_wrong what_happened retro five_whys timeline last_week incident outage inc account_of last_night
      yesterday's contributing_factor is_resolved been_resolved was_closed is_closed is_over back_to_normal do_better prevent_it write_it_up
      regulator_report sideways 5_whys write_up_of wrap_up led_to what_led_to stable_since long_over was_solved wrote_down nobody_wrote
    `,
  },
  {
    names: "test coverage unit_test e2e end_to_end write_test automated_test regression_test test_suite",
    signs: `
      spec jest vitest junit pytest playwright cypress selenium xunit nunit xctest espresso testing_library testing flaky untested cover uncovered
      regression safety_net assert assertion mock fixture mutation nail_down pin pin_down guard protect intermittently intermittent rerun snapshot
      case parameterised scenario characterisation property_based stabilise stable one_run_in rspec phpunit contract_test integration_test load_test
      edge_case #test one_time_in make_it_reliable fails_one reliable unreliable zero_tests every_third no_reason red_every flake smoke_test fuzz
      quarantine assertions green_again passes_locally unit_level test_case happy_path sad_path
    `,
  },
  {
    names: "doc guide readme manual article tutorial handbook user_guide help_page runbook wiki portal",
    signs: `
      undocumented confluence howto how_to reference openapi swagger section explain describe screenshot setup_section docstring javadoc help_centre
      help_center faq knowledge_base instruction quick_reference release_note write_down nobody_know chapter description still_say still_talk_about
      update out_of_date brochure getting_started step_by_step pdf reader playbook cheat_sheet a_page_that old_screen for_beginners can_read
      walkthrough still_mention mention rewrite write_docs how_tos refresh_it explain_in stale_page newbies_guide onboarding_page knowledge_article
      doc_page put_together_a faq_entry on_paper in_the_head only_one_who document_the document_our document_how write_something don't_understand
      anleitung doku documenter
    `,
  },
  {
    names: "security vulnerability pentest penetration attacker weakness threat exploit security_finding cve security_review scanner_alert",
    signs: `
      xss csrf sqli injection leak leaked secret credential password token api_key key rotate rotation hackerone bounty bug_bounty auditor hole idor
      auth authorisation privilege escalation abuse malicious phishing hardcoded plaintext plain_text encryption ssrf rce owasp scanner trivy snyk
      harden disclose expose exposed breach revoke commit unauthenticated session_fixation brute_force steal somebody_could anyone_can without_logging
      without_login pentester researcher advisory critical dependabot npm_audit suspicious hacked spoof tamper bypass permission_check publicly
      guessable enumerate gap scrub git_history key_in posted pastebin changing_the_id change_it_everywhere see_other other_people's neighbour's
      affects_our assess advisories be_guessed cheat plug somebody_found players_found gain lock_down publicly_accessible pwned hijack forge
      too_permissive permissions_too world_readable without_auth no_auth csp cors tls_version weak_cipher sanitise escape_html malware ransomware
      session_token
    `,
  },
  {
    names:
      "performance speed slow latency profile profiling tuning fast speed_up optimise optimize performance_problem bottleneck response_time #time",
    signs: `
      sluggish lag laggy lags janky jank smooth p95 p99 p50 memory heap gc cpu #size quick quicker slower throughput cache bundle rerender lcp
      lighthouse snappy crawl eat spinner hot_path load_time loading resource grow growing bloat snail ages takes_ages wait_for hog slim ram oom n_1
      get_below get_under used_to_finish used_to_take used_to_end went_from takes_too takes_minute takes_hour takes_almost takes_over takes_more
      take_long too_long too_much faster fps frame_rate scroll query_plan full_scan slows number_before nightly_run timeout painfully trim bring_down
      bring_that_down bring_it_down eats_all snappier cpu_of cpu_is drags_on below_#time under_#time takes_forever leak in_half frame shave squeeze
      drags_its blazing too_heavy bloated chew churn spike beachball unbearably noticeably seconds_to_load unbearable langsam ladezeit trop_lent
      trop_lente lento ralenti seq_scan table_scan results_are_right faster_again eager_load paging
    `,
  },
];
