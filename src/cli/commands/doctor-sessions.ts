import { inspectSessions, planRepairs, repairSession, type InspectedSession } from "../../dialects/machine/run/index.ts";
import type { EngineContext } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import type { Session } from "../session.ts";

const mostShown = 200;

/** Lists what does not conform in session folders. Warnings are accepted forms; errors make the command fail. */
export function showSessions({ out }: Session, sessions: readonly InspectedSession[]): number {
  if (sessions.length === 0) return exitCodes.done;
  out.line();
  const kinds = new Set(sessions.flatMap(({ defects }) => defects.map(({ kind }) => kind)));
  let errors = 0;
  for (const { folder, defects } of sessions) {
    out.line(
      `${out.paint("bold", folder)}: ${defects.length === 0 ? "conforms" : `${defects.length} ${defects.length === 1 ? "defect" : "defects"}`}`,
    );
    for (const { kind, severity, file, line, message, fix, repair } of defects.slice(0, mostShown)) {
      errors += severity === "error" ? 1 : 0;
      out.line(
        `  ${severity === "error" ? out.paint("red", "✗") : "!"} ${file}:${line} ${kind} ${message}${fix === "" ? "" : ` ${fix}`}${repair === undefined ? "" : " (can be repaired)"}`,
      );
    }
    if (defects.length > mostShown) out.line(`  ... and ${defects.length - mostShown} more`);
  }
  const found = sessions.reduce((sum, { defects }) => sum + defects.length, 0);
  out.line(
    `${sessions.length} ${sessions.length === 1 ? "session" : "sessions"}, ${found} defects of ${kinds.size} kinds, ${errors} of them errors.`,
  );
  if (sessions.some(({ defects }) => defects.some(({ repair }) => repair !== undefined)))
    out.hint("→ waymark doctor --repair shows what can be written again, and asks before it does.");
  return errors === 0 ? exitCodes.done : exitCodes.failed;
}

/** Shows each repair as a difference and writes it only after a yes; the original is kept beside it. */
export async function repairSessions(session: Session, context: EngineContext, only: string | undefined): Promise<number> {
  const { out } = session;
  const plans = [];
  for (const inspected of await inspectSessions(context, only)) plans.push(...(await planRepairs(context, inspected)));
  if (plans.length === 0) {
    out.document({ repaired: [] });
    out.line("There is nothing that can be repaired without a person's own hand.");
    return exitCodes.done;
  }
  for (const { path, removes, difference } of plans) {
    out.line(`${out.paint("bold", path)} (${removes.join(", ")})`);
    out.line(difference);
    out.line();
  }
  session.requireTerminal("Repairing asks first, so it", "Run it in a terminal.");
  if (
    !(await session.prompter.confirm(
      `Write ${plans.length === 1 ? "this file" : `these ${plans.length} files`} again? Originals are kept.`,
    ))
  ) {
    out.document({ repaired: [] });
    out.line("Nothing was changed.");
    return exitCodes.done;
  }
  const repaired: { path: string; original: string }[] = [];
  for (const plan of plans) repaired.push({ path: plan.path, original: await repairSession(context, plan) });
  out.document({ repaired });
  for (const { path, original } of repaired) out.line(`${path} was written again; the original is ${original}.`);
  return showSessions(session, await inspectSessions(context, only));
}
