import type { Catalogue } from "../../base/index.ts";
import { definitionCodes } from "./definition-codes.ts";
import { sessionCodes } from "./session-codes.ts";

/** Every code that this dialect gives, in definitions and in runs. Permanent: a code is never renamed and never reused. */
export const machineCodes: Catalogue = {
  ...definitionCodes,
  MACHINE_UNKNOWN_WORKFLOW: {
    what: "A step runs a workflow that does not exist.",
    why: "The name is mistyped, or its file is in a folder that is not searched.",
    fix: "Correct the name, create the workflow, or remove the step.",
  },
  ...sessionCodes,
  MACHINE_OUTPUT_MISSING: {
    what: "A role's output lacks something.",
    why: "The next step depends on it.",
    fix: "Add what the message names and report again.",
  },
  MACHINE_OUTPUT_UNKNOWN: {
    what: "A role's output has a key without a meaning.",
    why: "It may be misspelt. It does not keep the output from counting.",
    fix: "Use the documented names.",
  },
  MACHINE_OUTPUT_LONG: {
    what: "A part of a role's output is too long.",
    why: "Summaries have three sentences, a design spec inside an output has 80 lines.",
    fix: "Put details into the notes or into a file.",
  },
  MACHINE_OUTPUT_VERDICT: {
    what: "A review says no verdict.",
    why: "Neither `verdict` nor the summary holds PASS, PASS WITH NOTES or NEEDS FIXES.",
    fix: "Give `verdict`.",
  },
  MACHINE_OUTPUT_CONTRADICTS: {
    what: "A role's output says two things at once.",
    why: "Its status does not go with its verdict or its findings, and which is meant cannot be guessed.",
    fix: "Correct the status, or the findings.",
  },
  MACHINE_INPUT_MISSING: {
    what: "The input of a dispatch lacks something.",
    why: "Roles get the complete input or none.",
    fix: "Add what the message names.",
  },
  MACHINE_INPUT_TASK: {
    what: "A dispatch is for a task that is not in the plan.",
    why: "Its id is neither in `tasks.yaml` nor `meta`.",
    fix: "Use an id of the plan.",
  },
  MACHINE_INPUT_ROLE: {
    what: "A dispatch carries something for another role.",
    why: "Changed files go to the Reviewer, research questions to the Researcher, the lean flag to the SpecAgent.",
    fix: "Leave it out.",
  },
  MACHINE_INPUT_CONTEXT: {
    what: "The context files of a dispatch are not those of the role.",
    why: "Each role reads fixed files of its own session, and they must exist.",
    fix: "Give the files that the message names.",
  },
  MACHINE_CHANGED_FILE: {
    what: "An entry of `session_changed_files` is not valid.",
    why: "It needs a path inside the project and a kind of change; renamed files say where they were.",
    fix: "Correct the entry.",
  },
  MACHINE_NOT_PERSISTED: {
    what: "A file of the session could not be written, or read differently afterwards.",
    why: "The folder is read-only or full, or another program writes the same file.",
    fix: "Make the session's folder writable, then retry the run.",
  },
  MACHINE_NO_MODE: {
    what: "The machine has no such mode.",
    why: "The input `mode` names none of them.",
    fix: "Use one of the modes that are listed.",
  },
  MACHINE_NO_SESSION: {
    what: "The session to continue does not exist.",
    why: "The folder does not exist, has another form of name, or has no status file.",
    fix: "Name the folder of a session, or leave `session` out.",
  },
  MACHINE_NO_PLAN: {
    what: "The plan cannot be read.",
    why: "The file is missing or is not a valid list of tasks.",
    fix: "Fix the file, then retry the run.",
  },
  MACHINE_GIT_FAILED: {
    what: "`git` cannot tell what was changed in the workspace since the session began.",
    why: "The repository is gone or damaged, the commit that the session began with is gone, or git is not installed.",
    fix: "Make `git status` and `git diff` work in the workspace again; then report or retry.",
  },
  MACHINE_REPAIR_STALE: {
    what: "A session file changed after its repair was shown.",
    why: "Another program wrote it in between.",
    fix: "Look at the session again.",
  },
  MACHINE_STATE_FIXED: {
    what: "The state of a machine cannot be written.",
    why: "Its rules would be worth nothing if its holder could write that they hold.",
    fix: "Report the open step instead.",
    next: "next",
  },
  MACHINE_NOT_AHEAD: {
    what: "A task could not be worked on beside others.",
    why: "Its role did not finish it, conflicts were left, or its worktree could not be made.",
    fix: "Nothing: the task is done in its turn.",
  },
  MACHINE_REPORT_REFUSED: {
    what: "A role's report does not count.",
    why: "Its form is wrong, an artifact does not pass its checks, or files were changed that are not the role's.",
    fix: "Fix all that is listed, ask for the next step and report again.",
    next: "next",
  },
  MACHINE_NO_OUTCOME: {
    what: "A state ended and none of its outcomes holds.",
    why: "The outcomes do not cover every case.",
    fix: "Add an outcome without a condition.",
  },
};
