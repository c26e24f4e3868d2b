import { refused, type EngineContext } from "../../../engine/index.ts";
import { botOf } from "./bot-run.ts";
import { chosenArea } from "./project-area.ts";

/** An area that a bot is about to take. */
export interface WantedArea {
  readonly bot: string;
  /** As it was given. */
  readonly area: string;
  /** The run that wants it; absent before it is started. */
  readonly run?: string;
}

/** The open run of the same bot that keeps its files there. Two runs in one area would take each other's entries for a stranger's. */
export async function holderOfArea(context: EngineContext, { bot, area: given, run }: WantedArea): Promise<string | undefined> {
  const chosen = chosenArea(context.host.workspace, given);
  if (!("area" in chosen)) return undefined;
  for (const row of await context.store.listRuns({ workflow: bot, status: ["running"] })) {
    if (row.id === run) continue;
    const held = chosenArea(context.host.workspace, botOf(await context.runs.open(row.id))?.area ?? "");
    if ("area" in held && held.area === chosen.area) return row.id;
  }
  return undefined;
}

export function takenText(area: string, holder: string): string {
  return `\`${area}\` is the project area of run \`${holder}\`, which is open, and two runs cannot write the same files.`;
}

export async function refuseTakenArea(context: EngineContext, wanted: WantedArea): Promise<void> {
  const holder = await holderOfArea(context, wanted);
  if (holder === undefined) return;
  throw refused(
    "ENGINE_AREA_TAKEN",
    `${takenText(wanted.area, holder)} Nothing was changed.`,
    `Continue that run (workflow_resume, or \`waymark resume ${holder}\`), end it first (workflow_abort, or \`waymark abort ${holder}\`), or name another folder.`,
    { run_id: holder },
  );
}
