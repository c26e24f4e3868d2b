import { handOutId, type Action, type Decision } from "../../../kernel/index.ts";
import { refused } from "../../../engine/index.ts";
import type { BotPlace } from "./bot-run.ts";

export function saysNothing({ action }: BotPlace, id: string): Error {
  return refused(
    "ENGINE_NO_RESULT",
    `\`${action}\` is not done without word of what was done. Nothing was changed.`,
    "Close it again with its `summary`.",
    { action_id: id, fill_in: { "parameters.summary": "what was done" } },
  );
}

export function needsAnswer(decision: Decision): Error {
  return refused("ENGINE_NEEDS_ANSWER", `A question must be answered first: ${decision.question}`, "Answer it, then close the action.", {
    decision: decision.id,
    options: (decision.options ?? []).map((option) => option.value),
  });
}

/** What is open is a step of the workflow that the action calls: only its own report closes it. `open_step` tells this refusal from others. */
export function opensCalled({ behaviour, action }: BotPlace, run: string, { id, step }: Action): Error {
  const open = handOutId(step, id);
  return refused(
    "ENGINE_WRONG_STEP",
    `\`${action}\` calls a workflow, whose step \`${open}\` is open: a close does not report it. Nothing was changed.`,
    `Do that step and report it; \`${action}\` is completed when the workflow ends. On the command line: waymark next ${run}`,
    { place: `${behaviour}.${action}`, run_id: run, action_id: id, open_step: open },
  );
}

export function opensNothing({ action }: BotPlace): Error {
  return refused(
    "ENGINE_NO_ACTION",
    `Nothing of \`${action}\` is handed out at the moment, so there is nothing to close. Nothing was changed.`,
    "Ask the bot where it is.",
    {},
  );
}
