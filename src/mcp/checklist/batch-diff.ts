import { diffBatch, type BatchPlan } from "../../dialects/checklist/run/index.ts";
import type { ToolCall } from "../tool.ts";

/** Characters of a difference that come with the reply; a longer one lies in a file. */
const shownChars = 2500;

export interface BatchDiff {
  readonly diff?: string;
  readonly diffPath?: string;
}

/** The difference that a planned batch makes, in the reply or in a file. */
export async function batchDiff(call: ToolCall, run: string, token: string, plan: BatchPlan): Promise<BatchDiff> {
  const diff = await diffBatch(call.engine, plan);
  if (diff.length <= Math.min(shownChars, call.replyChars / 4)) return { diff: diff.trimEnd() };
  return { diffPath: await call.engine.host.views.write(`diffs/${run}-${token}.diff`, diff) };
}
