import { runs, type EngineContext } from "../engine/index.ts";
import { failure } from "./codes.ts";

const named = 10;

/** The run that is named, else the only open one of the workspace. `line` is the command that wants to know, for the refusal. */
export async function onlyRun(context: EngineContext, given: string | undefined, line: string): Promise<string> {
  if (given !== undefined) return given;
  const open = await runs(context, { status: ["running"], limit: 100 });
  const [first] = open;
  if (first === undefined)
    throw failure("CLI_WHICH_RUN", "No run is open in this workspace. Nothing was changed.", "Start one: waymark start <workflow>");
  if (open.length === 1) return first.id;
  const shown = open.slice(0, named).map(({ id, workflow }) => `\`${id}\` (${workflow})`);
  const more = open.length > named ? ` and ${open.length - named} more` : "";
  throw failure(
    "CLI_WHICH_RUN",
    `${open.length} runs are open in this workspace: ${shown.join(", ")}${more}. Nothing was changed.`,
    `Name the one that you mean: ${line} ${first.id}`,
  );
}
