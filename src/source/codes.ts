import type { Catalogue } from "../base/index.ts";

/** Codes of what links workflows of all dialects. */
export const sourceCodes: Catalogue = {
  DIALECTS_CALL_CYCLE: {
    what: "Workflows call each other in a circle.",
    why: "Such a run would never end.",
    fix: "Remove one of the calls that the message names.",
  },
  DIALECTS_CALL_INPUT: {
    what: "The inputs of a call do not fit the workflow that is called.",
    why: "A required input is missing, or one is given that the workflow does not declare.",
    fix: "Compare with the inputs that `waymark info <name>` lists.",
  },
  DIALECTS_PARALLEL_CALL: {
    what: "A machine, a bot or a checklist is called in parallel tasks.",
    why: "Waymark reads from the files what the roles of a machine changed, and the actions of a bot and the files of a checklist are one list each: it cannot tell two calls at once apart.",
    fix: "Call it in a `foreach`, or start the workflow with `serial: true` each time.",
  },
};
