import { runs, status, type EngineContext, type RunHandle } from "../engine/index.ts";

/** Other open runs that a driver works on now, in the same folder as this one. */
export async function drivenBeside(context: EngineContext, { id: run, state: { options } }: RunHandle): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { id } of await runs(context, { status: ["running"] })) {
    if (id === run) continue;
    const { handle, strands } = await status(context, id);
    const isDriven = strands.some(({ strand, alive }) => alive && handle.state.strands[strand]?.holder?.kind === "worker");
    if (isDriven && handle.state.options.folder === options.folder) found.push(id);
  }
  return found;
}
