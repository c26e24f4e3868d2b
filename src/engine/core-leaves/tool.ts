import { textOf, type JsonObject } from "../../base/index.ts";
import type { Performed } from "../draft.ts";
import type { EffectJob } from "../runtime.ts";

/** Calls a tool of a configured server. `cannot` when no server offers it, so that the agent is asked to call it. */
export async function performTool({ engine, effect, signal }: EffectJob<unknown>): Promise<Performed | undefined> {
  const { host, settings } = engine;
  const params = (effect.args["params"] ?? {}) as JsonObject;
  const method = textOf(effect.args["method"]);
  const outcome = await host.tools.call(method, params, { timeoutMs: effect.timeoutMs ?? settings.commandTimeoutMs, signal });
  if (outcome === undefined) return { outcome: { ok: "cannot" } };
  if (!outcome.ok && signal.aborted) return undefined;
  if (outcome.ok) return { outcome: { ok: true, value: outcome.value } };
  return { outcome: { ok: false, code: "TOOL_FAILED", message: `\`${method}\` failed: ${outcome.message}` } };
}
