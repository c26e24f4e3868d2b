import { isObject, type JsonObject } from "../../../../base/index.ts";
import type { Inventory, InventoryRequest } from "../../../../ports/index.ts";
import { calledAgain } from "../called-again.ts";
import { textList, type ChecklistRun, type Job, type Perform } from "../checklist-run.ts";
import { type EngineContext, done } from "../../../../engine/index.ts";
import { findGuides } from "../knowledge-guides.ts";

/** The files of the run, in the order in which they are worked on. They are in a blob: there may be hundreds of thousands. */
export const performInventory: Perform = async ({ context, handle, scope, run, signal }) => {
  const again = calledAgain(handle, scope, run);
  const inventory = await takeInventory(context, run, signal);
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
      ...(again === undefined ? {} : { called_again: again }),
    },
    undefined,
    { files: { $blob: kept.hash, bytes: kept.bytes } },
  );
};

export function takeInventory(context: EngineContext, run: ChecklistRun, signal?: AbortSignal): Promise<Inventory> {
  const { definition, inputs, options } = run;
  const include = textList(options["include_patterns"]);
  const most = options["max_files"];
  return context.workspace.inventory({
    root: context.host.workspace,
    patterns: include.length > 0 ? include : definition.filePatterns,
    exclusions: [...definition.fileExclusions, ...textList(options["exclude_patterns"])],
    scope: scopeOf(context, inputs),
    priority: textList(options["priority_patterns"]),
    gitignore: definition.gitignore,
    ...(typeof most === "number" && most >= 0 ? { maxFiles: Math.floor(most) } : {}),
    ...(signal === undefined ? {} : { signal }),
  });
}

export function scopeOf(
  { host }: Pick<EngineContext, "host">,
  inputs: JsonObject,
): Exclude<InventoryRequest["scope"], { readonly kind: "paths" }> {
  const path = typeof inputs["path"] === "string" ? inputs["path"] : "";
  const relative = (name: string): string => {
    const plain = name.trim().replaceAll("\\", "/");
    return plain.startsWith(`${host.workspace}/`) ? plain.slice(host.workspace.length + 1) : plain;
  };
  const paths = path.split(",").map(relative);
  if (inputs["scope"] === "files") return { kind: "files", paths: paths.filter((name) => name !== "") };
  if (inputs["scope"] === "directory") return { kind: "directory", path: relative(path) };
  return { kind: "workspace" };
}

type KeptFiles = readonly { readonly path: string; readonly size: number; readonly priority: number }[];

/** The inventory that was read last: a scan asks for it with every chunk, and it may be large. */
const lastRead = new WeakMap<EngineContext, { readonly hash: string; readonly files: KeptFiles }>();

/** The inventory a run was begun with. */
export async function keptInventory({ context, run }: Pick<Job, "context" | "run">): Promise<KeptFiles> {
  const kept = run.raw["inventory"];
  const hash = isObject(kept) ? kept["files"] : undefined;
  if (typeof hash !== "string") return [];
  const known = lastRead.get(context);
  if (known?.hash === hash) return known.files;
  const bytes = await context.store.readBlob(hash);
  if (bytes === undefined) return [];
  const files = JSON.parse(new TextDecoder().decode(bytes)) as KeptFiles;
  lastRead.set(context, { hash, files });
  return files;
}

/** The last chunk is scanned: nobody asks for it again. */
export function forgetInventory(context: EngineContext): void {
  lastRead.delete(context);
}

/** Conversion guides between two versions, and the patterns they describe. Steps without a guide are named. */
export const performGuides: Perform = async ({ context, run }) => {
  const { definition, options } = run;
  const upgrade = definition.versionUpgrade;
  const source = textList(options["source_version"])[0] ?? upgrade?.source;
  const target = textList(options["target_version"])[0] ?? upgrade?.target;
  if (source === undefined || target === undefined) {
    const message = "An upgrade needs `source_version` and `target_version` in its options, for example BC21 and BC27.";
    return { outcome: { ok: false, code: "ENGINE_WRONG_INPUTS", message } };
  }
  const named = definition.patterns.topicPattern;
  const { withoutGuide, ...found } = await findGuides(context.knowledge, definition, { source, target, named });
  return done({ ...found, without_guide: withoutGuide } as unknown as JsonObject);
};
