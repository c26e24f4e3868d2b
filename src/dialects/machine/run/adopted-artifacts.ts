import { isObject } from "../../../base/index.ts";
import { sessionFiles } from "../definition/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { artifactProblems } from "./artifacts.ts";
import { textsOf } from "./build-dispatch.ts";
import type { MachineMemory } from "./machine-memory.ts";
import { textIn, type MachineRun } from "./machine-run.ts";
import type { SessionFile } from "./session-folder.ts";

export interface Drift {
  /** A sentence each, with the name of the file. */
  readonly problems: readonly string[];
  /** Hashes of the files that are not as they were taken over, by path; empty for one that is gone. */
  readonly changed: Readonly<Record<string, string>>;
}

/**
 * Artifacts that are not as they were taken over from their roles. Those that an approval is bound to are compared with the approval,
 * those that Waymark writes with what it wrote, and a report is judged by its form.
 */
export async function driftOf(context: EngineContext, run: MachineRun, files: readonly SessionFile[]): Promise<Drift> {
  const elsewhere = new Set([
    sessionFiles.tasks,
    sessionFiles.status,
    ...(run.definition.done.report ? [sessionFiles.report] : []),
    ...Object.values(run.memory.passed).flatMap(({ binds }) => Object.keys(binds)),
  ]);
  const problems: string[] = [];
  const changed: Record<string, string> = {};
  const reported = changedByRole(run);
  for (const [path, hash] of Object.entries(run.memory.adopted)) {
    const now = files.find((file) => file.path === path)?.hash ?? "";
    if (now === hash || elsewhere.has(path)) continue;
    const [name = ""] = Object.entries(run.definition.artifacts).find(([, artifact]) => artifact.path === path) ?? [];
    const unfit = await artifactProblems(context, run, name, files);
    if (reported.has(path) && unfit.length === 0) continue;
    changed[path] = now;
    problems.push(`\`${path}\` ${now === "" ? "was taken over and is gone" : "has changed since it was taken over"}.`, ...unfit);
  }
  return { problems, changed };
}

/** What a role changed of its own artifacts counts as taken over with its report. */
export function withReported(run: MachineRun, files: readonly SessionFile[]): MachineMemory["adopted"] {
  const reported = changedByRole(run);
  const known = files.filter(({ path }) => reported.has(path) && run.memory.adopted[path] !== undefined);
  if (known.length === 0) return run.memory.adopted;
  return { ...run.memory.adopted, ...Object.fromEntries(known.map(({ path, hash }) => [path, hash])) };
}

function changedByRole({ raw, folder, definition }: MachineRun): ReadonlySet<string> {
  const output = isObject(raw["output"]) ? raw["output"] : {};
  const own = definition.roles[textIn(output, "role")]?.artifacts ?? [];
  const paths = own.flatMap((name) => definition.artifacts[name]?.path ?? []);
  const changed = textsOf(output["changed"]);
  return new Set(paths.filter((path) => changed.includes(`${folder}/${path}`)));
}
