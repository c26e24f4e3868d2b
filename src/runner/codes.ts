import { isWaymarkError, nearest, WaymarkError, type Catalogue } from "../base/index.ts";

/** Codes of driving runs without anybody at the keyboard. */
export const runnerCodes: Catalogue = {
  RUNNER_NO_PERMISSION: {
    what: "Nobody said what the agent may do.",
    why: "It would work in your folder unattended, and neither the step, the workflow, the agent's configuration nor the command states a permission.",
    fix: "State it: `permission: edit` in the workflow or in the agent's entry of your configuration, or `--permission read`, `edit` or `all` on the command line. Or start the run with `waymark run --worktree`, to let it edit a copy of its own.",
  },
  RUNNER_LOST_SESSION: {
    what: "The conversation that a step continues is gone.",
    why: "The agent could not resume it, or another agent had it.",
    fix: "`waymark retry <run>`, then `waymark drive <run> --on-lost fresh` (or `replay`, to give it what was said before). For later runs let the step begin a fresh conversation (`clearContext: true`, or `on_lost_context: fresh` for this case alone).",
  },
  RUNNER_NOT_REPORTED: {
    what: "The agent ended its turn, and what the step must leave is missing.",
    why: "It was asked once more in the same conversation, and still did not report the step or leave its files.",
    fix: "Read what it did with `waymark transcript <run>`, then `waymark retry <run>`.",
  },
  RUNNER_NO_ROLE: {
    what: "`--role` names a role that the workflow does not have.",
    why: "A name that means nothing would leave the role to another agent than you want.",
    fix: "Correct the name; `waymark explain <workflow>` shows the roles.",
  },
  RUNNER_AGENT_FAILED: {
    what: "The agent could not do the step.",
    why: "See the message: it failed, refused, or reached a limit of its own.",
    fix: "Read what it did with `waymark transcript <run>`, fix the cause, then `waymark retry <run>`.",
  },
  RUNNER_AGENT_LIMIT: {
    what: "The agent's account has reached a limit.",
    why: "Its provider takes no more requests for now.",
    fix: "Wait until the limit ends, or name another agent with `--agent` or `drive.agent`.",
  },
  RUNNER_AGENT_LOGIN: {
    what: "The agent's provider refuses it.",
    why: "It is not logged in, or its key is not valid.",
    fix: "Log in with the agent's own program, then try again.",
  },
  RUNNER_AGENT_SETUP: {
    what: "The agent cannot work as it is set up.",
    why: "See the message: as a rule its model or an argument does not exist.",
    fix: "Correct its entry below `agents` in the configuration, or name another agent with `--agent` or `drive.agent`.",
  },
  RUNNER_UNEXPECTED: {
    what: "`waymark work` could not open or drive a run, for a reason that has no code of its own.",
    why: "What the store has of this run cannot be read, or Waymark has a fault. Other runs are worked on.",
    fix: "Look at the run with `waymark doctor <run>`. It is tried again after a minute; where nothing helps, `waymark rm <run>` removes it.",
  },
  RUNNER_NO_ANSWER: {
    what: "The agent did not answer.",
    why: "See the message: it failed, was silent for too long, or reached a limit of its own.",
    fix: "Try again. `waymark agents try <agent>` shows whether it works at all.",
  },
};

/** A role of `--role` that the workflow does not have. */
export function noRole(workflow: string, role: string, roles: readonly string[]): WaymarkError {
  const [near] = nearest(role, roles);
  const has = roles.length === 0 ? "It has no roles." : near === undefined ? `It has ${roles.join(", ")}.` : `Did you mean \`${near}\`?`;
  return refusedDrive("RUNNER_NO_ROLE", `\`${workflow}\` has no role \`${role}\`. ${has} Nothing was started.`);
}

/** An error that a run was left with, with a code in any case. */
export function withCode(error: unknown): WaymarkError {
  if (isWaymarkError(error)) return error;
  const message = `Something failed that should not: ${error instanceof Error ? error.message : String(error)}`;
  return new WaymarkError({ code: "RUNNER_UNEXPECTED", message, fix: runnerCodes["RUNNER_UNEXPECTED"]?.fix ?? "", cause: error });
}

export function refusedDrive(code: string, message: string): WaymarkError {
  const fix = runnerCodes[code]?.fix;
  return new WaymarkError({ code, message, ...(fix === undefined ? {} : { fix }) });
}
