import type { Position } from "../../engine/index.ts";
import { inCharacters } from "../page-reply.ts";
import { nothingAround, positionReply, type Surrounding } from "../position-reply.ts";
import type { Reply } from "../tool.ts";
import { checklistReply, isChecklist } from "./checklist-reply.ts";
import type { Driver } from "./driver.ts";

/** What the caller stands at, whatever dialect it is of. `before` is short. */
export async function standingReply(driver: Driver, position: Position, before: Surrounding = nothingAround): Promise<Reply> {
  if (isChecklist(position)) return checklistReply(driver, position, { lines: before.lines(before.data), data: before.data });
  return positionReply(driver.call, position, inCharacters(driver.call), before);
}
