import type { Decision } from "../../kernel/index.ts";
import { refused } from "../codes.ts";
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
