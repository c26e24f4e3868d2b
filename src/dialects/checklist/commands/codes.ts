import type { Catalogue } from "../../../base/index.ts";

/** Codes of the commands for checklists. */
export const codes: Catalogue = {
  CLI_OTHER_COMMAND: {
    what: "Another command does this.",
    why: "`waymark report` writes the report of a run; `waymark done`, `fail` and `skip` report a step.",
    fix: "Run the line from the message.",
  },
  CLI_NO_FILES: {
    what: "There is nothing to scan.",
    why: "No file below the folder matches the workflow's patterns, or all that do are left out by its exclusions or by git.",
    fix: "Name another folder or file, or another workflow; `waymark info <workflow>` shows what it is about.",
  },
  CLI_NO_PATTERNS: {
    what: "The workflow looks for no patterns.",
    why: "Its checklist is for the reader of the files, or it is not a checklist.",
    fix: "Name a workflow with patterns; `waymark list` shows all of them.",
  },
  CLI_NO_TOOL: {
    what: "None of the tools that the workflow takes findings from is in the workspace.",
    why: "They are not installed here, or have no configuration; a tool that is not there finds nothing, which must not look like a clean workspace.",
    fix: "Install one of the tools that the message names, or scan with another workflow.",
  },
  CLI_BASELINE: {
    what: "A baseline cannot be used.",
    why: "The file does not exist, or is not what `--update-baseline` writes: a merge or another program may have damaged it.",
    fix: "Restore the file, or write it again with `--update-baseline` and look at what changed in it.",
  },
  CLI_NO_GUIDE: {
    what: "A version step has no conversion guide.",
    why: "None of the knowledge folders holds one, so nothing is looked for in this step.",
    fix: "Add a guide for the step to the knowledge of the project, or check that step by hand.",
  },
};
