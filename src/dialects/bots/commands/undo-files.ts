import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { undoContent } from "../run/index.ts";
import { exitCodes, failure, loadCommandKit, type Desk } from "../../../cli/index.ts";

const { refuseLinkOut } = await loadCommandKit();

/** Takes back the files that the last action wrote; what was changed since stays as it is. */
export async function undoFiles({ session, context, caller }: Desk, bot: string, action: string | undefined): Promise<number> {
  const { out } = session;
  const [run] = await context.store.listRuns({ workflow: bot });
  if (run === undefined)
    throw failure("CLI_BAD_VALUE", `\`${bot}\` was not begun here, so it has written nothing.`, "Nothing has to be done.");
  const [first = "", second] = action?.split(".") ?? [];
  const place = second === undefined ? { action: first } : { behaviour: first, action: second };
  const undone = await undoContent(context, caller, { run: run.id, ...(action !== undefined && { place }) });
  const removed: string[] = [];
  for (const { path, hash } of undone.added) {
    const target = join(session.workspace, path);
    await refuseLinkOut(session.workspace, target);
    const now = await readFile(target).catch(() => undefined);
    if (now === undefined || createHash("sha256").update(now).digest("hex") !== hash) continue;
    await rm(target);
    removed.push(path);
  }
  const { restored, left } = undone;
  const { behaviour, action: named } = undone.place;
  out.document({ run_id: undone.run, behavior: behaviour, action: named, restored, removed, left });
  out.line(`Took back what ${named} of ${behaviour} wrote.`);
  for (const path of restored) out.line(`  ${path} is restored`);
  for (const path of removed) out.line(`  ${path} was new and is removed`);
  for (const { path, reason } of left) out.line(`  ${out.paint("yellow", "!")} ${path} is left as it is: ${reason}`);
  out.hint(`→ To do it again: waymark bot ${bot} ${behaviour} ${named}`);
  return left.length === 0 ? exitCodes.done : exitCodes.failed;
}
