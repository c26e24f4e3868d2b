import { isObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { Job } from "./checklist-run.ts";

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
