import { start } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";
import { parseInputs } from "../parse-inputs.ts";
import { parseBudget } from "../parse-values.ts";

export async function startCommand({ session, args: [workflow = ""], options }: Given): Promise<number> {
  const budget = options["budget"] === undefined ? {} : { budget: parseBudget(options["budget"]) };
  const wait = waiting(session, options);
  return session.withEngine(async (context) => {
    const caller = cliCaller(session.world, context);
    const inputs = await parseInputs(session, context, workflow, options);
    const position = await start(context, caller, { workflow, inputs, serial: options["serial"] === true, ...budget, ...wait });
    session.out.line(`Started run ${position.run}.`);
    session.showWorkspace();
    return showMoved(session, { context, caller }, position, { workspace: session.workspace });
  });
}
