import { counted } from "../../base/index.ts";
import { doctor, rebuildRun, runs } from "../../engine/index.ts";
import { atDesk } from "../session.ts";
import { exitCodes } from "../codes.ts";
import type { Inspection } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { tellLeftStore } from "../left-store.ts";
import type { Output } from "../output.ts";

export async function doctorCommand(given: Given): Promise<number> {
  const { session, shares, args, options } = given;
  const { out } = session;
  const [run] = args;
  return atDesk(given, async (desk) => {
    const { context } = desk;
    const rebuilt: string[] = [];
    if (options["rebuild"] === true) {
      if (run !== undefined) await context.runs.open(run);
      for (const id of run === undefined ? (await runs(context, {})).map((entry) => entry.id) : [run]) {
        await rebuildRun(context, id);
        rebuilt.push(id);
      }
    }
    const { problems, ...report } = await doctor(context, run);
    const knowledge = run === undefined ? await context.knowledge.problems() : [];
    const inspected: Inspection[] = [];
    for (const { inspect } of await shares.all()) if (inspect !== undefined) inspected.push(await inspect(desk, run, options));
    out.document({
      ...report,
      problems,
      knowledge,
      ...Object.assign({}, ...inspected.map(({ data }) => data)),
      rebuilt,
      workspace: session.workspace,
      workflow_folders: context.host.definitions.folders(),
    });
    showStore(out, { ...report, problems }, rebuilt.length);
    await tellLeftStore(session);
    for (const { code, place, message, fix } of knowledge) out.line(`! ${place?.file}:${place?.line} ${code} ${message} ${fix}`);
    for (const { show } of inspected) show(out);
    return problems.length + knowledge.length === 0 && inspected.every(({ sound }) => sound) ? exitCodes.done : exitCodes.failed;
  });
}

function noSchema(kind: string): string {
  return kind === "postgresql"
    ? "none: `waymark adopt` as the user that owns the database makes the tables, and so does a first run as that user"
    : "none: the first run creates the store";
}

function showStore(out: Output, { store, checked, transcripts, problems }: Awaited<ReturnType<typeof doctor>>, rebuilt: number): void {
  out.table(
    ["STORE", ""],
    [
      ["kind", `${store.kind} (${store.engine})`],
      ["place", store.location],
      ...(store.project === undefined ? [] : [["project", store.project]]),
      ["schema", store.schema === 0 ? out.placed(noSchema(store.kind)) : String(store.schema)],
      ["runs checked", String(checked)],
      [
        "transcripts",
        transcripts.runs === 0 ? "none" : `${counted(transcripts.entries, "entry", "entries")} of ${counted(transcripts.runs, "run")}`,
      ],
      ...(rebuilt === 0 ? [] : [["runs rebuilt", String(rebuilt)]]),
    ],
  );
  out.line();
  for (const { run: id, problem, fix } of problems) {
    out.line(`${out.paint("red", "✗")} ${id === undefined ? "" : `${id}: `}${problem}`);
    if (fix !== undefined) out.hint(`→ ${fix}`);
  }
  out.line(
    problems.length === 0
      ? `${out.paint("green", "✓")} Every journal gives exactly the stored state.`
      : `${counted(problems.length, "problem")}.`,
  );
  if (problems.some(({ fix }) => fix === undefined) && rebuilt === 0)
    out.hint("→ waymark doctor --rebuild derives everything from the journals again.");
}
