import * as z from "zod";
import { defined } from "../../base/index.ts";
import { askPerson } from "../../engine/index.ts";
import { askedReply } from "../strand-scope.ts";
import { defineTool, hiddenText, type Tool } from "../tool.ts";

/** For driven agents alone: who works with a person in front asks them directly. */
export const askTool: Tool = defineTool({
  name: "workflow_ask",
  description:
    "Ask a person something that your step depends on and that you can neither find out nor decide yourself. Then end your turn: you get the step again with the answer.",
  returns: "`status` (`asked`) and what to do now",
  repeatable: true,
  shape: z.object({
    question: z.string().describe("Complete in itself: the person sees only this."),
    options: z.array(z.string()).optional().describe("Two or more choices; leave out for a free answer."),
    run_id: hiddenText,
    action_id: hiddenText,
  }),
  async run({ engine, caller }, { question, options, run_id: run = "", action_id: action = "" }) {
    await askPerson(engine, caller, { run, action, question, ...defined({ options }) });
    return askedReply(run);
  },
});
