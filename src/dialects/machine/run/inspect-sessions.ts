import { refused, type EngineContext } from "../../../engine/index.ts";
import type { Defect } from "../definition/index.ts";
import { listFiles } from "./session-folder.ts";

/** A session folder, with everything in it that does not keep to the documented form. */
export interface InspectedSession {
  readonly session: string;
  readonly folder: string;
  readonly defects: readonly Defect[];
}

/** A file that can be written again so that defects go away; its content as it is, and as it would be. */
export interface SessionRepair {
  readonly session: string;
  readonly path: string;
  readonly removes: readonly string[];
  readonly difference: string;
  readonly text: string;
  readonly hash: string;
}

/** Looks at every session of the workspace, or at the one that is named. Nothing is written. */
export async function inspectSessions(context: EngineContext, only?: string): Promise<readonly InspectedSession[]> {
  const { conform, sessionsFolder } = await import("../definition/index.ts");
  const texts = await sessionTexts(context, sessionsFolder);
  const names = Object.keys(texts).filter((name) => only === undefined || name === only);
  const now = new Date(await context.store.now()).toISOString();
  return names.map((session) => ({
    session,
    folder: `${sessionsFolder}/${session}`,
    defects: isDocumented(texts[session]?.["status.json"]) ? conform({ folder: session, files: texts[session] ?? {}, now }) : [],
  }));
}

/** A session of a machine with states of its own keeps to that machine's form, which is Waymark's to write. */
function isDocumented(status: string | undefined): boolean {
  try {
    const held: unknown = JSON.parse(status ?? "{}");
    return typeof (held as { readonly machine?: unknown } | null)?.machine !== "string";
  } catch {
    return true;
  }
}

/** What could be repaired in a session, each file with its difference. */
export async function planRepairs(context: EngineContext, inspected: InspectedSession): Promise<readonly SessionRepair[]> {
  const { differenceOf } = await import("./engine-files.ts");
  const { workspace, host } = context;
  const repairs: SessionRepair[] = [];
  const files = new Map<string, string>();
  for (const { file, repair } of inspected.defects) if (repair !== undefined) files.set(file, repair);
  for (const [file, text] of files) {
    const path = `${inspected.folder}/${file}`;
    const held = await workspace.read(host.workspace, path);
    if (held === undefined) continue;
    const removes = inspected.defects.filter((defect) => defect.file === file && defect.repair !== undefined).map(({ kind }) => kind);
    repairs.push({
      session: inspected.session,
      path,
      removes: [...new Set(removes)],
      difference: differenceOf(path, textOfBytes(held.bytes), text),
      text,
      hash: held.hash,
    });
  }
  return repairs;
}

/** Writes a repaired file; what was there is kept beside it. Answers the name of that copy. */
export async function repairSession({ workspace, host }: EngineContext, { path, text, hash }: SessionRepair): Promise<string> {
  const held = await workspace.read(host.workspace, path);
  if (held === undefined || held.hash !== hash)
    throw refused("MACHINE_REPAIR_STALE", `\`${path}\` has changed since the repair was shown. It was left as it is.`, "Look again.");
  let copy = `${path}.before-repair`;
  for (let number = 2; (await workspace.read(host.workspace, copy)) !== undefined; number += 1) copy = `${path}.before-repair-${number}`;
  const kept = await workspace.writeFile(host.workspace, copy, held.bytes, null);
  const written = kept.status === "done" ? await workspace.writeFile(host.workspace, path, new TextEncoder().encode(text), hash) : kept;
  if (written.status === "failed")
    throw refused("MACHINE_NOT_PERSISTED", `\`${path}\` could not be repaired: ${written.reason}`, "Make the folder writable.");
  return copy;
}

/** As it is written, with its byte-order mark: that is a defect too. */
function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

async function sessionTexts(context: EngineContext, root: string): Promise<Record<string, Record<string, string>>> {
  const texts: Record<string, Record<string, string>> = {};
  for (const path of await listFiles(context, { patterns: [`${root}/**/*`], exclusions: ["**/*.before-repair*"] })) {
    const [session = "", ...rest] = path.slice(root.length + 1).split("/");
    const file = rest.length === 0 ? undefined : await context.workspace.read(context.host.workspace, path);
    if (file !== undefined) (texts[session] ??= {})[rest.join("/")] = textOfBytes(file.bytes);
  }
  return texts;
}
