import { isObject, textOf, type JsonObject } from "../../../base/index.ts";
import type { Action } from "../../../kernel/index.ts";
import type { EngineContext, DeniedClaim } from "../../../engine/index.ts";
import type { Standing } from "../../../views/index.ts";

/** An instance that a report calls converted, as it was handed out. */
export interface Claimed {
  readonly action: Pick<Action, "id" | "step">;
  readonly list: string;
  readonly item: JsonObject;
}

/** undefined when the action is about no instance. Asked before the report is made: afterwards the action is gone. */
export function claimedIn(action: Action | undefined): Claimed | undefined {
  const item = action?.args["item"];
  if (action === undefined || !isObject(item) || item["kind"] !== "instance") return undefined;
  return { action, list: textOf(action.args["list"] ?? ""), item };
}

/** `standing` is where the reporter stands once the engine has looked at the file; undefined: nothing speaks against the claim. */
export async function deniedClaim(
  { store }: EngineContext,
  run: string,
  { action, list, item }: Claimed,
  standing: Standing | undefined,
): Promise<DeniedClaim | undefined> {
  const row = await store.readItem(run, list, textOf(item["id"] ?? ""));
  const reason = row?.reason ?? "It is still there.";
  if (row?.status === "failed") return { became: "failed", item, reason };
  const again = standing?.kind === "action" && standing.action.step === action.step && standing.action.id !== action.id;
  return again ? { became: "open", item, reason } : undefined;
}
