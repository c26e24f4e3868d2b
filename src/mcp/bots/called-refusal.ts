import { WaymarkError } from "../../base/index.ts";
import { next } from "../../engine/index.ts";
import { followingText, positionView, type CallSpec, type Following } from "../../views/index.ts";
import type { ToolCall } from "../tool.ts";
import type { BotNames } from "./bot-names.ts";

/** The refusal of a close while a step of a called workflow is open, with that step and the calls that show and report it. */
export async function calledRefusal(call: ToolCall, { botTool }: BotNames, error: WaymarkError): Promise<WaymarkError> {
  const { code, message, details } = error;
  const position = await next(call.engine, call.caller, { ...call.waiting, run: String(details["run_id"]) });
  const { data, textFor } = positionView(position, (tool) => call.offers(tool));
  const { next_call: report, fill_in: fill, later: _later, ...shown } = data as typeof data & Following;
  // Somebody else has reported it meanwhile.
  if (report === undefined || data["action_id"] !== details["action_id"]) return error;
  const following = { next_call: report, ...(fill === undefined ? {} : { fill_in: fill }) };
  const show: CallSpec = { tool: botTool, arguments: {} };
  return new WaymarkError({
    code,
    message: `${message}\n${textFor(shown, "")}`,
    fix: followingText(following, "Do that step, then report it:").join(" "),
    details: { ...details, next_call: show, later: { when: "when the step is done", ...report } },
  });
}
