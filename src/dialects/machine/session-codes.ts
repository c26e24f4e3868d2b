import type { Catalogue } from "../../base/index.ts";

/** Codes of the files of a session; a definition can have some of them too. */
export const sessionCodes: Catalogue = {
  MACHINE_BYTE_MARK: {
    what: "A session file begins with a byte order mark.",
    why: "Some editors write one. It is accepted.",
    fix: "Save the file as UTF-8 without a mark.",
  },
  MACHINE_LINE_ENDINGS: {
    what: "A session file ends its lines with carriage returns.",
    why: "It was written on another system. It is accepted.",
    fix: "Save the file with `\\n` as line ending.",
  },
  MACHINE_SYNTAX: {
    what: "A session file or definition cannot be read at all.",
    why: "It is not JSON or YAML. A session file that exists but is invalid counts as missing.",
    fix: "Correct the place shown.",
  },
  MACHINE_UNQUOTED: {
    what: "A value in `tasks.yaml` lacks its quotes, so the file is not YAML.",
    why: "In YAML `: ` begins a value, and some characters at the beginning have a meaning of their own.",
    fix: "Write the line in quotes as the message shows.",
  },
  MACHINE_DUPLICATE_KEY: {
    what: "A map has the same key twice.",
    why: "Only one of the two values can count, and which one is not visible.",
    fix: "Remove one of them.",
  },
  MACHINE_FORBIDDEN_KEY: {
    what: "A key reaches into the machinery of JavaScript objects.",
    why: "`__proto__`, `constructor` and `prototype` are left out.",
    fix: "Choose another name.",
  },
  MACHINE_TOO_DEEP: {
    what: "A file is nested too deeply.",
    why: "No documented form has more than a few levels.",
    fix: "Write the file with fewer levels.",
  },
  MACHINE_TIME_FORM: {
    what: "A time is written in another form.",
    why: "Offsets, long fractions and times without a zone are accepted; the last are read as UTC.",
    fix: "Write it like `2026-03-02T10:15:00.000Z`.",
  },
  MACHINE_MISSING_KEY: {
    what: "A documented key is missing.",
    why: "A definition needs it. In session files most have a value that is taken instead; without `current_state`, `tasks` or `acceptance_criteria` the file says nothing.",
    fix: "Add the key.",
  },
  MACHINE_WRONG_TYPE: {
    what: "A value has the wrong type; in a session file it is left out.",
    why: "The key expects another kind of value.",
    fix: "Write the value in the form that the message names.",
  },
  MACHINE_UNKNOWN_WORD: {
    what: "A value is none of the words known there.",
    why: "It is misspelt, or belongs to another scheme.",
    fix: "Use one of the words that the message lists.",
  },
  MACHINE_WORD_FORM: {
    what: "A known word is written with other capitals or separators.",
    why: "It is accepted, since only one word can be meant.",
    fix: "Write the word as the message shows.",
  },
  MACHINE_LIST_FORM: {
    what: "There is a single value instead of a list of texts, or a map instead of a text.",
    why: "It is accepted. In YAML a text with `: ` becomes a map when it has no quotes.",
    fix: "Write a list of texts in quotes.",
  },
  MACHINE_FOREIGN_KEY: {
    what: "`status.json` has keys that are not documented.",
    why: "They are kept when the file is written, and never decide anything.",
    fix: "Leave them, or remove them.",
  },
  MACHINE_ID_FORM: {
    what: "An id is not numbered in the usual way.",
    why: "Any unique text is accepted as an id.",
    fix: "Leave it; renaming would break what refers to it.",
  },
  MACHINE_DUPLICATE_ID: {
    what: "Two decisions, tasks or criteria have the same id.",
    why: "What refers to the id could mean either. A gate that is recorded twice counts as open.",
    fix: "Give each its own id.",
  },
  MACHINE_DECISION_ALIAS: {
    what: "A decision uses other names for its fields.",
    why: "`id` and `answered_at` are read as `decision_id` and `resolved_at`.",
    fix: "Rename the fields.",
  },
  MACHINE_DECISION_NOTE: {
    what: "A decision is incomplete or free text.",
    why: "Without question, status, time and state it is not a record. It is kept as a note and satisfies no gate.",
    fix: "Ask the question again.",
  },
  MACHINE_DECISION_INVALID: {
    what: "A decision contradicts its own status.",
    why: "Pending ones have no answer; answered ones have an answer and a time; closed ones have a time and a reason.",
    fix: "Let it be asked again.",
  },
  MACHINE_TRACKING_FORM: {
    what: "`gate_tracking` is written in another form.",
    why: "A plain word is read as the status of the correction.",
    fix: "Write a map with `correction_status` and `last_correction_dispatch`.",
  },
  MACHINE_RETRY_COUNTS: {
    what: "`retry_counts` does not count every repair loop.",
    why: "What is not counted is read as 0.",
    fix: "Write all four counts.",
  },
  MACHINE_CHECK_MAP: {
    what: "A check is a map where a text is expected.",
    why: "Without quotes `cmd: make test` is a map in YAML. It is accepted.",
    fix: "Write the check in quotes.",
  },
  MACHINE_CHECK_PREFIX: {
    what: "A check begins with neither `cmd:` nor `manual:`.",
    why: "It is never run as a command on a guess: another prefix becomes the label of a manual check.",
    fix: "Begin it with `cmd:` or `manual:`.",
  },
  MACHINE_CHECK_EMPTY: {
    what: "A check names nothing to check.",
    why: "There is no command and no text behind its prefix.",
    fix: "Write what is to be checked, or remove it.",
  },
  MACHINE_TASK_ALIAS: {
    what: "A task uses other names for its fields.",
    why: "`deps` and `files` are read as `depends_on` and `files_expected`.",
    fix: "Rename the fields.",
  },
  MACHINE_TASK_IGNORED: {
    what: "A field of a task has no effect.",
    why: "`owner` and `context_window` belong to other schemes. They are kept.",
    fix: "Leave them, or remove them.",
  },
  MACHINE_TASK_STATUS: { what: "A task has no status.", why: "It is read as `not-started`.", fix: "Add `status`." },
  MACHINE_TASK_INCOMPLETE: {
    what: "A task lacks something it must say.",
    why: "Without id, goal and checks nobody can tell when it is done; before PLAN is left it also needs `depends_on` and `done_when`.",
    fix: "Add the field that the message names.",
  },
  MACHINE_PROJECT_FORM: {
    what: "`project` is missing or a plain text.",
    why: "A text is read as the name of the project.",
    fix: "Write a map with `name` and `definition_of_done`.",
  },
  MACHINE_DEPENDENCY_UNKNOWN: {
    what: "A task depends on one that does not exist.",
    why: "It could never begin.",
    fix: "Correct the id in `depends_on`, or add the task.",
  },
  MACHINE_DEPENDENCY_CYCLE: {
    what: "Tasks wait for each other.",
    why: "None of them could ever begin.",
    fix: "Remove one of the dependencies.",
  },
  MACHINE_NOTHING_LISTED: {
    what: "A plan has no task, or there is no acceptance criterion.",
    why: "There would be nothing to do or nothing to check.",
    fix: "Add at least one.",
  },
  MACHINE_LEAN_TASKS: {
    what: "A lean session has more than one task.",
    why: "The lean way is for work that is one small task.",
    fix: "Make it one task, or leave the lean way.",
  },
  MACHINE_CRITERION_ALIAS: {
    what: "An acceptance criterion uses other names for its fields.",
    why: "`verify` is built from `verification`, `commands` and `expected_result`.",
    fix: "Write `verify` as a list of checks.",
  },
  MACHINE_CRITERION_INCOMPLETE: {
    what: "An acceptance criterion lacks id, description or checks.",
    why: "It could neither be named nor verified.",
    fix: "Add what the message names.",
  },
  MACHINE_FILE_MISSING: {
    what: "A file of the session is missing or empty.",
    why: "The state that writes it was left without it.",
    fix: "Let the role that writes it run again.",
  },
  MACHINE_SECTION_MISSING: {
    what: "A document lacks a required section.",
    why: "Roles that come later rely on it.",
    fix: "Add the heading and its text.",
  },
  MACHINE_SECTION_EMPTY: {
    what: "A required section says nothing.",
    why: "A heading alone, or a placeholder such as `TODO`, is not content.",
    fix: "Write its text.",
  },
  MACHINE_HEADING_FORM: {
    what: "A required heading is numbered, marked or translated.",
    why: "It is accepted, since its meaning is known.",
    fix: "Write the heading that the message names.",
  },
  MACHINE_HEADINGS_UNKNOWN: {
    what: "No heading of a document is known.",
    why: "It may be written in a language for which no names were given.",
    fix: "Use the documented headings, or say once what they are called.",
  },
  MACHINE_CRITERION_UNTESTABLE: {
    what: "A criterion in `spec.md` cannot be tested.",
    why: "It has no id to refer to, says nothing, or is there twice.",
    fix: "Write each as `- AC-001: <what can be observed>`.",
  },
  MACHINE_HISTORY_LINE: {
    what: "A line of `approve-design-history.jsonl` is not an entry.",
    why: "It is cut off or lacks a field. The others count.",
    fix: "Leave the line; lines are only ever added.",
  },
  MACHINE_HISTORY_MISSING: {
    what: "A design was sent back and the history does not hold it.",
    why: "The reason would be lost when the gate is asked again.",
    fix: "Add the line of this round.",
  },
  MACHINE_CORRECTION_UNTRACKED: {
    what: "A design was sent back and nothing says how far its correction is.",
    why: "After a break it could be corrected twice, or not at all.",
    fix: "Set `correction_status` to `queued`.",
  },
  MACHINE_DONE_OPEN_TASKS: {
    what: "A session is DONE with tasks that are not completed.",
    why: "The state was written without looking at `tasks.yaml`.",
    fix: "Go back to IMPLEMENT_LOOP.",
  },
  MACHINE_DONE_PENDING: {
    what: "A session is DONE with pending decisions.",
    why: "A question was asked and its answer never recorded.",
    fix: "Ask it again, or close it with a reason.",
  },
  MACHINE_DONE_RED: {
    what: "A session is DONE although the last build was red.",
    why: "DONE needs a green build where there is one.",
    fix: "Go back to INTEGRATE.",
  },
  MACHINE_STATE_AHEAD: {
    what: "A session left IMPLEMENT_LOOP with tasks that are not completed.",
    why: "The session did not wait for the roles to report.",
    fix: "Go back to IMPLEMENT_LOOP.",
  },
  MACHINE_GATE_UNRECORDED: {
    what: "A session is past a gate that was never recorded.",
    why: "Nobody was asked, or the answer was kept as free text.",
    fix: "Ask the gate; a person answers it.",
  },
  MACHINE_GATE_NOT_PASSED: {
    what: "A session is past a gate whose answer does not pass.",
    why: "The record is pending, closed, or was answered with something else.",
    fix: "Ask the gate again.",
  },
  MACHINE_LEFT_PENDING: {
    what: "A session continued while a decision was pending.",
    why: "A state that asks may only be left when all its records are closed.",
    fix: "Ask the pending ones before anything else.",
  },
  MACHINE_QUESTION_UNRECORDED: {
    what: "A session waits for an answer that no record asks for.",
    why: "The question was asked before it was written down.",
    fix: "Write the pending record, then ask.",
  },
  MACHINE_BUDGET_EXCEEDED: {
    what: "A repair loop ran more often than allowed.",
    why: "After three rounds for one task a person decides how to continue.",
    fix: "Ask the person.",
  },
  MACHINE_ASSUMPTIONS_LOG: {
    what: "`assumptions` is used as a log.",
    why: "It grows with every turn, and the assumptions are no longer found in it.",
    fix: "Keep only what is assumed.",
  },
  MACHINE_STATUS_CONTRADICTS: {
    what: "`status.json` says something else about tasks than `tasks.yaml`.",
    why: "Task statuses have one home; copies grow old.",
    fix: "Remove the copy.",
  },
  MACHINE_BLOCKED_UNEXPLAINED: {
    what: "A session is BLOCKED without a reason.",
    why: "Nobody can act on it.",
    fix: "Add `blocker` with `code`, `detail` and `recovery`.",
  },
  MACHINE_SESSION_NAME: {
    what: "A session folder has another kind of name.",
    why: "Names are a date and two to four words. It is accepted.",
    fix: "Leave it as it is.",
  },
  MACHINE_SESSION_DIFFERS: {
    what: "`session` is not the name of the folder.",
    why: "The folder was renamed or copied.",
    fix: "Write the name of the folder.",
  },
};
