import { prune } from "../../engine/index.ts";
import { exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { parseDuration } from "../parse-values.ts";

export async function pruneCommand({ session, options }: Given): Promise<number> {
  if (options["olderThan"] === undefined)
    throw usage(
      "`--older-than` is missing: it says which ended runs may go.",
      "Write for example `waymark prune --older-than 30d --dry-run`.",
    );
  const age = parseDuration(options["olderThan"], "--older-than");
  const dryRun = options["dryRun"] === true;
  const pruned = await session.withEngine(async (context) => prune(context, (await context.store.now()) - age, dryRun));
  const { out } = session;
  out.document({ dry_run: dryRun, ...pruned });
  for (const run of pruned.runs) out.line(run);
  const runs = `${pruned.runs.length} ended ${pruned.runs.length === 1 ? "run" : "runs"}`;
  if (dryRun) out.line(`${runs} would be removed.`);
  else out.line(`Removed ${runs} and ${pruned.blobs} large values (${pruned.bytes} bytes). Open runs were not touched.`);
  if (dryRun && pruned.runs.length > 0) out.hint(`→ waymark prune --older-than ${String(options["olderThan"])}`);
  return exitCodes.done;
}
