import type { Json, JsonObject } from "../base/index.ts";
import { mask } from "./mask-secrets.ts";

type Inputs = Readonly<Record<string, { readonly secret?: boolean; readonly default?: Json }>>;

/** Inputs of a workflow as anybody may see them: the default of a secret one is masked. */
export function shownInputs(inputs: Inputs): JsonObject {
  const shown = Object.entries(inputs).map(([name, spec]) => [
    name,
    spec.secret === true && spec.default !== undefined ? { ...spec, default: mask } : spec,
  ]);
  return Object.fromEntries(shown) as JsonObject;
}
