import { handOutId, type Action, type RunState } from "../../kernel/index.ts";
import type { JournalRecord } from "../../ports/index.ts";
import { readEvents } from "../../state/index.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";

type StrandBlock = Pick<Action, "strand" | "block">;

/** A report that was recorded as a try and does not count, as its record tells. */
export interface Refusal extends StrandBlock {
  readonly code: string;
  readonly message: string;
}

/** Why a report does not count, under the code that its leaf refuses it by. */
export interface RefusedReport {
  readonly code: string;
  readonly problems: readonly string[];
}

/** The answer to a report that does not count. */
export function refusedReport(handle: RunHandle, action: Action, { code, problems }: RefusedReport): Error {
  const again = openAgain(handle.state, action);
  const left = again === undefined ? 0 : triesLeft(handle, again);
  return refused(
    code,
    `The report of \`${action.step}\` does not count:\n${problems.map((problem) => `- ${problem}`).join("\n")}`,
    again === undefined
      ? "This was the last try: a person has to decide how it continues."
      : `Fix all of it, ask for the next step (it is the same dispatch again), and report. ${triesText(left)}`,
    { problems: [...problems], tries_left: left },
  );
}

/** What made the report of a record not count; undefined when it counts. */
export async function refusalIn({ store, leaves }: EngineContext, record: JournalRecord): Promise<Refusal | undefined> {
  if (!leaves.refusals.some((code) => record.events.includes(code))) return undefined;
  const failed = (await readEvents(store, record)).find((event) => event.type === "failed");
  if (failed === undefined || !leaves.refusals.includes(failed.error.code)) return undefined;
  return { strand: failed.strand, block: failed.block, code: failed.error.code, message: failed.error.message };
}

/** The answer to a report that names a hand-out whose report was refused; undefined when nobody is asked for it again. */
export function refusedBefore(handle: RunHandle, id: string, refusal: Refusal): Error | undefined {
  const again = openAgain(handle.state, refusal);
  if (again === undefined) return undefined;
  const { step } = again;
  return refused(
    "ENGINE_WRONG_STEP",
    `The report of \`${id}\` was refused and does not count: ${refusal.message} \`${step}\` is open again as \`${again.id}\`. Nothing was changed.`,
    `Fix all of it, ask for the next step, and report it with its action_id \`${again.id}\`. ${triesText(triesLeft(handle, again))}`,
    { open_steps: [handOutId(step, again.id)], action_id: again.id },
  );
}

function openAgain({ actions }: RunState, { strand, block }: StrandBlock): Action | undefined {
  return Object.values(actions).find((action) => action.strand === strand && action.block === block);
}

/** How often an open dispatch can be reported before a person has to decide. */
function triesLeft({ program, state }: RunHandle, { strand, block }: StrandBlock): number {
  const frame = state.strands[strand]?.frames.findLast((each) => each.block === block && each.kind === "do");
  const times = program.blocks[block]?.rescue?.retry?.times;
  return (typeof times === "number" ? times : 0) - (frame?.tries ?? 0) + 1;
}

function triesText(left: number): string {
  return left === 1 ? "One try is left." : `${left} tries are left.`;
}
