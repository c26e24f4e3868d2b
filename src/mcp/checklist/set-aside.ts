import { isObject, textOf, type Json, type JsonObject } from "../../base/index.ts";
import { openOf, type CheckReport } from "../../engine/index.ts";
import type { ToolCall } from "../tool.ts";
import type { Beside } from "./checklist-reply.ts";

/** An instance that a report calls converted, as it was in the caller's hands. */
export interface Claimed {
  readonly list: string;
  readonly item: JsonObject;
}

/** Asked before the report is made: afterwards something else is in the caller's hands. */
export async function claimedBy(call: ToolCall, { run, status, actionId }: CheckReport): Promise<Claimed | undefined> {
  const { action } = openOf(await call.engine.runs.open(run), call.caller);
  const item: Json | undefined = action?.args["item"];
  if (status !== "completed" || !isObject(item) || item["kind"] !== "instance") return undefined;
  return actionId === undefined || actionId === action?.id ? { list: textOf(action?.args["list"] ?? ""), item } : undefined;
}

/** A file tells that the claim was false once too often: who made it is told what became of the instance. */
export async function setAside({ engine }: ToolCall, run: string, claimed: Claimed | undefined): Promise<Beside | undefined> {
  if (claimed === undefined) return undefined;
  const id = textOf(claimed.item["id"] ?? "");
  const row = await engine.store.readItem(run, claimed.list, id);
  if (row?.status !== "failed") return undefined;
  const { file = "", line = null } = claimed.item;
  const reason = row.reason ?? "It is still there.";
  return {
    lines: [`\`${id}\` in ${textOf(file)} is set aside as failed: ${reason} workflow_retry opens it again.`],
    data: { set_aside: { file, line, checklist_item_id: id, status: "failed", reason } },
  };
}
