import { isObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { Finding } from "../../../ports/index.ts";
import type { Job } from "./checklist-run.ts";

/** What the tools reported of a file, and what it held when they began to look. */
export interface FileFindings {
  readonly hash?: string;
  readonly findings: readonly Finding[];
}

export type KeptFindings = Readonly<Record<string, FileFindings>>;

/** The findings that were read last: a scan asks for them with every chunk, and there may be a hundred thousand. */
const lastRead = new WeakMap<EngineContext["store"], { readonly hash: string; readonly kept: KeptFindings }>();

/** What the tools reported before the scan; empty for a run without tools. */
export async function keptFindings({ context, run }: Pick<Job, "context" | "run">): Promise<KeptFindings> {
  const { tools } = run.raw;
  const hash = isObject(tools) ? tools["findings"] : undefined;
  if (typeof hash !== "string") return {};
  const known = lastRead.get(context.store);
  if (known?.hash === hash) return known.kept;
  const bytes = await context.store.readBlob(hash);
  if (bytes === undefined) throw new Error(`The findings ${hash} of the tools are missing from the store.`);
  const kept = JSON.parse(new TextDecoder().decode(bytes)) as KeptFindings;
  lastRead.set(context.store, { hash, kept });
  return kept;
}

/** The last chunk is scanned: nobody asks for them again. */
export function forgetFindings({ store }: EngineContext): void {
  lastRead.delete(store);
}
