import type { Instance } from "../../../ports/index.ts";
import type { EngineContext } from "../../../engine/index.ts";

/** Stays the same when the instance moves; two of the same text in one file differ by their place among equals. */
export function instanceId({ host }: EngineContext, path: string, instance: Pick<Instance, "pattern" | "text">, ordinal: number): string {
  return `i${host.sha256([path, instance.pattern, instance.text.replace(/\s+/g, " "), ordinal].join("\0")).slice(0, 12)}`;
}
