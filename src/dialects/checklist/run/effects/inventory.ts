import { defined, isObject, type JsonObject } from "../../../../base/index.ts";
import type { Inventory, InventoryRequest } from "../../../../ports/index.ts";
import { calledAgain } from "../called-again.ts";
import { baseOfRun, pinnedBase, sinceOf, wantsChanges } from "../changed/base-of-run.ts";
import { changeBase, type ChangeBase } from "../changed/change-base.ts";
import { changedFiles, filesAt } from "../changed/changed-files.ts";
import { textList, type ChecklistRun, type Job, type Perform } from "../checklist-run.ts";
import { type EngineContext, done } from "../../../../engine/index.ts";
import { findGuides } from "../knowledge-guides.ts";
import { versionOption } from "../refuse-versions.ts";

/** The files of the run, in the order in which they are worked on. They are in a blob: there may be hundreds of thousands. */
export const performInventory: Perform = async ({ context, handle, scope, run, signal }) => {
  const again = calledAgain(handle, scope, run);
  const base = await baseFor(context, handle, run);
  const inventory = await takeInventory(context, run, { signal, ...defined({ base }) });
  const [problem] = inventory.problems;
  if (inventory.files.length === 0 && problem !== undefined && run.inputs["scope"] !== "workspace")
    return { outcome: { ok: false, code: problem.code, message: `There is nothing to work on. ${problem.message}` } };
  const kept = await context.store.putBlob(new TextEncoder().encode(JSON.stringify(inventory.files)));
  return done(
    {
      files: kept.hash,
      total: inventory.files.length,
      out_of_scope: inventory.outOfScope.length,
      out_of_scope_files: inventory.outOfScope.slice(0, 200).map((file) => file.path),
      problems: inventory.problems.slice(0, 50).map(({ code, message }) => ({ code, message })),
      ...defined({ called_again: again, changed_since: base }),
    },
    undefined,
    { files: { $blob: kept.hash, bytes: kept.bytes } },
  );
};

/** The first inventory of a run decides what all that it calls is compared with. */
async function baseFor(context: EngineContext, { state }: Job["handle"], { options }: ChecklistRun): Promise<ChangeBase | undefined> {
  if (!wantsChanges(options)) return undefined;
  const since = sinceOf(options);
  return pinnedBase(state, since) ?? changeBase({ context, folder: context.host.workspace }, since);
}

interface Taking {
  readonly signal: AbortSignal;
  /** What files were changed since, where the run is about these. */
  readonly base?: ChangeBase;
  /** Files of the run: what was changed once belongs to it, also when it is as it was by now. */
  readonly known?: Iterable<string>;
}

export async function takeInventory(
  context: EngineContext,
  run: ChecklistRun,
  { signal, base = baseOfRun(run), known = [] }: Taking,
): Promise<Inventory> {
  const { definition, inputs, options } = run;
  const include = textList(options["include_patterns"]);
  const most = options["max_files"];
  return context.workspace.inventory({
    root: context.host.workspace,
    patterns: include.length > 0 ? include : definition.filePatterns,
    exclusions: [...definition.fileExclusions, ...textList(options["exclude_patterns"])],
    scope: base === undefined ? scopeOf(context, inputs) : await changedScope(context, inputs, { base, known }),
    priority: textList(options["priority_patterns"]),
    gitignore: definition.gitignore,
    ...(typeof most === "number" && most >= 0 ? { maxFiles: Math.floor(most) } : {}),
    signal,
  });
}

async function changedScope(
  context: EngineContext,
  inputs: JsonObject,
  { base, known }: { readonly base: ChangeBase; readonly known: Iterable<string> },
): Promise<InventoryRequest["scope"]> {
  const { paths } = await changedFiles({ context, folder: context.host.workspace }, base);
  const within = scopeOf(context, inputs);
  const limits = within.kind === "workspace" ? ["."] : within.kind === "directory" ? [within.path] : within.paths;
  return { kind: "paths", paths: [...new Set([...filesAt(paths, limits), ...known])], listed: true };
}

/** What was asked for, whether or not it is limited to what was changed. */
export function scopeOf(context: Pick<EngineContext, "host">, inputs: JsonObject): InventoryRequest["scope"] {
  const { scope, path, options } = inputs;
  const { paths, listed }: JsonObject = isObject(options) ? options : {};
  if (paths !== undefined) return { kind: "paths", paths: textList(paths), listed: listed === true };
  if (scope === "files") return { kind: "files", paths: namedPaths(context, inputs) };
  if (scope === "directory") return { kind: "directory", path: relativeTo(context, typeof path === "string" ? path : "") };
  return { kind: "workspace" };
}

/** What `path` names, separated by commas. */
function namedPaths(context: Pick<EngineContext, "host">, { path }: JsonObject): readonly string[] {
  const named = typeof path === "string" ? path.split(",") : [];
  return named.map((name) => relativeTo(context, name)).filter((name) => name !== "");
}

function relativeTo({ host }: Pick<EngineContext, "host">, name: string): string {
  const plain = name.trim().replaceAll("\\", "/");
  return plain.startsWith(`${host.workspace}/`) ? plain.slice(host.workspace.length + 1) : plain;
}

/** Conversion guides between two versions, and the patterns they describe. Steps without a guide are named. */
export const performGuides: Perform = async ({ context, run }) => {
  const { definition, options } = run;
  const upgrade = definition.versionUpgrade;
  const source = versionOption(options, "source_version") ?? upgrade?.source;
  const target = versionOption(options, "target_version") ?? upgrade?.target;
  if (source === undefined || target === undefined) {
    const message = "An upgrade needs `source_version` and `target_version` in its options, for example BC21 and BC27.";
    return { outcome: { ok: false, code: "ENGINE_WRONG_INPUTS", message } };
  }
  const named = definition.patterns.topicPattern;
  const { withoutGuide, ...found } = await findGuides(context.knowledge, definition, { source, target, named });
  return done({ ...found, without_guide: withoutGuide } as unknown as JsonObject);
};
