import { defined } from "../../base/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import type { EngineContext } from "../context.ts";
import { askKey } from "./hand-out-records.ts";

export interface AskRequest {
  readonly run: string;
  readonly action: string;
  readonly question: string;
  /** Two or more, each another one; without them the answer is free. */
  readonly options?: readonly string[];
}

/**
 * Puts a question of who holds a step to a person. The step goes back: it is handed out again, with the answer as a note, when a person has
 * answered. The same question of the same hand-out again changes nothing.
 */
export async function askPerson(context: EngineContext, caller: Caller, { run, action, question, options }: AskRequest): Promise<void> {
  const handle = await context.runs.open(run);
  const text = question.trim();
  const values = options?.map((value) => value.trim());
  const problem =
    text === ""
      ? "`question` is empty"
      : values !== undefined && (values.length < 2 || new Set(values).size < values.length || values.includes(""))
        ? "`options` needs two or more choices, each another one"
        : undefined;
  if (problem !== undefined)
    throw refused("ENGINE_BAD_VALUE", `The question was not recorded: ${problem}.`, "Correct it and ask again.", { action_id: action });
  const strand = handle.state.actions[action]?.strand ?? "";
  await commitOrThrow(context, handle, {
    input: {
      type: "ask",
      action,
      holder: caller.holder,
      fence: handle.state.strands[strand]?.fence ?? 0,
      question: text,
      ...(await stampOf(context, caller)),
      ...defined({ options: values?.map((value) => ({ value })) }),
    },
    key: askKey(action),
  });
}
