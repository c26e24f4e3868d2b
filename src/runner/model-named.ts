import { own } from "../base/index.ts";
import type { AgentInfo } from "../ports/index.ts";

/** The agent's own model for the name that a person or a workflow has for it. */
export function modelNamed({ models = {} }: Pick<AgentInfo, "models">, named: string | undefined): string | undefined {
  return named === undefined ? undefined : (own(models, named) ?? named);
}
