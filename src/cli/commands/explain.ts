import { WaymarkError } from "../../base/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { loadNamed } from "../load-named.ts";
import type { PlanFormat } from "../world.ts";

export async function explainCommand({ session, args: [name = ""], options }: Given): Promise<number> {
  const format: PlanFormat = session.out.json ? "json" : options["format"];
  const text = await session.withEngine(async (context) => {
    const workflow = await loadNamed(session, context, name);
    if (workflow.program === undefined) {
      const errors = workflow.diagnostics.filter((problem) => problem.severity === "error").length;
      throw new WaymarkError({
        code: "ENGINE_INVALID_WORKFLOW",
        message: `\`${workflow.name}\` has ${errors} ${errors === 1 ? "error" : "errors"}, so it has no plan.`,
        fix: `Run \`waymark validate ${name}\` and fix what it shows.`,
      });
    }
    return session.world.explain(workflow, format);
  });
  if (format === "text") session.out.line(text.trimEnd());
  else session.out.raw(text.endsWith("\n") ? text : `${text}\n`);
  return exitCodes.done;
}
