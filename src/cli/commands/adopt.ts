import { counted, isWaymarkError, visibleText } from "../../base/index.ts";
import { lineOfRun, whatItRuns, type EngineContext } from "../../engine/index.ts";
import type { Given } from "../define-command.ts";
import type { Session } from "../session.ts";

/** An open run of the store with what it would run, or why that cannot be said. */
interface OpenRun {
  readonly run: string;
  readonly workflow: string;
  readonly since: string;
  readonly runs: ReturnType<typeof whatItRuns>;
  readonly problem?: string;
}

/** Marks the store of the workspace as the user's own, after it was shown what its open runs would run. */
export async function adoptCommand({ session, options }: Given): Promise<void> {
  const { out } = session;
  const yes = options["yes"] === true;
  return session.withEngine(async (context) => {
    const { location, kind } = await context.store.describe();
    const identity = await context.store.identity();
    if (identity === undefined && kind === "postgresql") {
      await context.store.identify(context.host.uuid());
      out.document({ store: location, adopted: true, made: true });
      return out.line(`Made the tables in ${location}. The store is yours.`);
    }
    if (identity === undefined) {
      out.document({ store: location, adopted: false });
      return out.line(`There is no store in ${location} yet. The one that your first run makes is yours.`);
    }
    if (await context.host.storeMarks.has(identity)) {
      out.document({ store: location, adopted: false });
      return out.line(`The store in ${location} is yours already.`);
    }
    const open = await openRuns(context);
    session.refuseUnattended(yes, `Nobody is at a terminal to see what the ${counted(open.length, "open run")} of ${location} would run.`);
    show(session, location, open);
    const wish = { yes, what: "Adopting", instead: "Run it in a terminal.", no: "Nothing was adopted." };
    if (!(await session.agrees(`Work with this store in ${context.host.workspace}?`, wish))) return;
    const { id } = await context.store.identify(context.host.uuid());
    // The file that was shown, not one that may have taken its place since.
    await context.host.storeMarks.adopt({ id, file: identity.file });
    out.document({ store: location, adopted: true, open_runs: open });
    out.advice("Adopted. Commands of its runs still need `waymark allow`.");
  });
}

async function openRuns(context: EngineContext): Promise<readonly OpenRun[]> {
  const rows = await context.store.listRuns({ status: ["running"] });
  return Promise.all(
    rows.map(async ({ id, workflow, program, createdAt }) => {
      const run = { run: id, workflow, since: new Date(createdAt).toISOString() };
      try {
        return { ...run, runs: whatItRuns(context, await context.runs.program(program)) };
      } catch (error) {
        // The person has to see the other runs all the same.
        if (!(error instanceof Error)) throw error;
        return { ...run, runs: [], problem: isWaymarkError(error) ? error.message : `Its program cannot be read: ${error.message}` };
      }
    }),
  );
}

function show({ out }: Session, location: string, open: readonly OpenRun[]): void {
  out.line(`${out.paint("bold", location)}  was not made by you on this computer.`);
  if (open.length === 0) out.line("  It has no open runs.");
  for (const { run, workflow, since, runs, problem } of open) {
    out.line(`  ${run}  ${visibleText(workflow)}, since ${since.slice(0, 16).replace("T", " ")}`);
    if (problem !== undefined) out.line(`    ${visibleText(problem)}`);
    else if (runs.length === 0) out.line("    runs nothing by itself");
    for (const each of runs) out.line(`    ${visibleText(lineOfRun(each)).replaceAll("\n", "\n      ")}`);
  }
  out.line();
}
