import { counted } from "../../../base/index.ts";
import { exitCodes, usage, type Desk, type Given, type Inspection, type Output } from "../../../cli/index.ts";
import { inspectSessions, planRepairs, repairSession, type InspectedSession } from "../run/index.ts";

const mostShown = 200;

/** Looks at the form of session folders. Warnings are accepted forms; errors make the command fail. */
export async function inspectFolders({ context }: Desk, run: string | undefined, { session: only }: Given["options"]): Promise<Inspection> {
  const sessions = run === undefined ? await inspectSessions(context, only) : [];
  if (only !== undefined && sessions.length === 0)
    throw usage(`There is no session \`${only}\` below .agents-work.`, "Name a folder there, or leave `--session` out.");
  return inspectionOf(sessions);
}

function inspectionOf(sessions: readonly InspectedSession[]): Inspection {
  const documents = sessions.map(({ session, folder, defects }) => ({
    session,
    folder,
    defects: defects.map(({ repair, ...defect }) => ({ ...defect, repairable: repair !== undefined })),
  }));
  const errors = sessions.flatMap(({ defects }) => defects).filter(({ severity }) => severity === "error").length;
  return { data: { sessions: documents }, sound: errors === 0, show: (out) => showSessions(out, sessions, errors) };
}

function showSessions(out: Output, sessions: readonly InspectedSession[], errors: number): void {
  if (sessions.length === 0) return;
  out.line();
  const kinds = new Set(sessions.flatMap(({ defects }) => defects.map(({ kind }) => kind)));
  for (const { folder, defects } of sessions) {
    out.line(`${out.paint("bold", folder)}: ${defects.length === 0 ? "conforms" : counted(defects.length, "defect")}`);
    for (const { kind, severity, file, line, message, fix, repair } of defects.slice(0, mostShown))
      out.line(
        `  ${severity === "error" ? out.paint("red", "✗") : "!"} ${file}:${line} ${kind} ${message}${fix === "" ? "" : ` ${fix}`}${repair === undefined ? "" : " (can be repaired)"}`,
      );
    if (defects.length > mostShown) out.line(`  ... and ${defects.length - mostShown} more`);
  }
  const found = sessions.reduce((sum, { defects }) => sum + defects.length, 0);
  const defects = found === 0 ? "no defects" : `${counted(found, "defect")} of ${counted(kinds.size, "kind")}, ${errors} of them errors`;
  out.line(`${counted(sessions.length, "session")}, ${defects}.`);
  if (sessions.some(({ defects }) => defects.some(({ repair }) => repair !== undefined)))
    out.hint("→ waymark doctor --repair shows what can be written again, and asks before it does.");
}

/** Shows each repair as a difference and writes it only after a yes; the original is kept beside it. */
export async function repairSessions({ session, options: { session: only } }: Given): Promise<number> {
  const { out } = session;
  return session.withEngine(async (context) => {
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
    const files = plans.length === 1 ? "this file" : `these ${plans.length} files`;
    const wish = { what: "Repairing", instead: "Run it in a terminal.", no: "Nothing was changed." };
    if (!(await session.agrees(`Write ${files} again? Originals are kept.`, wish))) return exitCodes.done;
    const repaired: { path: string; original: string }[] = [];
    for (const plan of plans) repaired.push({ path: plan.path, original: await repairSession(context, plan) });
    out.document({ repaired });
    for (const { path, original } of repaired) out.line(`${path} was written again; the original is ${original}.`);
    const { show, sound } = inspectionOf(await inspectSessions(context, only));
    show(out);
    return sound ? exitCodes.done : exitCodes.failed;
  });
}
