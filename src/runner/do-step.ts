import { defined } from "../base/index.ts";
import { mainStrand } from "../kernel/index.ts";
import { endLeftAgents, report, requirePermissionToDrive, type Position, type RunHandle } from "../engine/index.ts";
import { taskOf } from "../views/index.ts";
import { AccountPool } from "./account-pool.ts";
import { bindStep } from "./bind-step.ts";
import { agentOf, chooseAgent, decidedBy, type Decided } from "./choose-agent.ts";
import type { DriveEnd } from "./drive-request.ts";
import { TranscriptKeeper } from "./keep-transcript.ts";
import { setupOf } from "./refusal.ts";
import type { StepDriver } from "./step-driver.ts";
import { StepTurns } from "./step-turns.ts";

type Open = Extract<Position["standing"], { readonly kind: "action" }>;

/** Lets an agent do the open action, and reports it. Answers where driving ends here; undefined when the run continues. */
export async function doStep(driver: StepDriver, position: Position, open: Open): Promise<DriveEnd | undefined> {
  const { parts, request, caller, pool } = driver;
  const { context } = parts;
  const { action } = open;
  const handle = await context.runs.open(position.run);
  const { at, leaf } = context.leaves.ofAction(context, handle, action);
  const told = leaf.alone?.(action);
  if (told !== undefined) {
    if (told !== "") request.watch?.({ type: "told", text: told });
    await report(context, caller, { run: handle.id, action: action.id, status: "success" });
    return undefined;
  }
  // Looked at each time, so that a permission that is taken back stops the run here.
  await requirePermissionToDrive(context, handle, action);
  const wish = await leaf.turn?.(at, open);
  const role = leaf.role?.(at, action);
  const bound = role && (await bindStep(context, request, handle.program, role));
  const inWorktree = handle.state.options.folder !== undefined;
  const named = { step: action.step, wish, inWorktree, ...defined({ bound }) };
  const [chosen, decided] = [await chooseAgent(parts.agents, request, named), decidedBy(named, role?.name)];
  const account = new AccountPool(context, (await parts.agents.resolve(chosen.agent)).account, handle.id);
  const refused = driver.refused.get(account.name) ?? driver.refused.get(setupOf(chosen));
  if (refused !== undefined) return { run: handle.id, kind: "parked", ...refused };
  if (await waitsForAccount(driver, account, { run: handle.id, action: action.id }, decided)) return undefined;
  await endLeftAgents(context);
  const about = { run: handle.id, action: action.id, step: action.step, strand: action.strand, agent: chosen.agent };
  const alone = role !== undefined;
  const interrupted = await driver.interrupted.find(about, alone);
  const turns = new StepTurns({
    driver: alone ? { ...driver, request: { ...request, shared: false } } : driver,
    handle,
    action,
    wish,
    chosen,
    decided,
    folder: at.folder,
    provider: await pool.open(chosen.agent),
    transcript: new TranscriptKeeper(context, about),
    account,
    interrupted,
    isRetried: isRetried(handle, action),
    isOneOfMany: alone || action.strand !== mainStrand,
  });
  const scope = {
    run: handle.id,
    strand: action.strand,
    action: action.id,
    writes: action.paths,
    ...defined({ task: taskOf(position), asked: leaf.asks ?? open.shown.call?.tool }),
  };
  const door = parts.doors.open(turns.reporter, scope, turns.before);
  request.watch?.({ type: "step", position, step: action.step, agent: chosen.agent, resumed: interrupted !== undefined, decided });
  try {
    return await turns.run(door);
  } finally {
    await door.close(turns.session);
  }
}

/** Whether the step went back until a time, because the agent's account is at its limit. */
async function waitsForAccount(
  { parts, caller }: StepDriver,
  account: AccountPool,
  step: { readonly run: string; readonly action: string },
  decided: Decided,
): Promise<boolean> {
  const full = await account.blocked();
  if (full === undefined) return false;
  const { reason: error, blockedUntil } = full;
  await report(parts.context, caller, { ...step, error, blockedUntil, waiting: { pool: account.name, ...agentOf(decided) } });
  return true;
}

/** Whether a failure of the step begins it again: its block is tried again, or one that begins with it. */
function isRetried({ program, state }: RunHandle, { strand, block }: Open["action"]): boolean {
  const frame = state.strands[strand]?.frames.at(-2);
  const around = frame === undefined ? undefined : program.blocks[frame.block];
  const tried = around?.kind === "seq" && around.blocks[0] === block ? [program.blocks[block], around] : [program.blocks[block]];
  return tried.some((each) => each?.rescue?.retry !== undefined);
}
