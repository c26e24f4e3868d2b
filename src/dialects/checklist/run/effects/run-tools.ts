import type { JsonObject } from "../../../../base/index.ts";
import { commandClaim, done } from "../../../../engine/index.ts";
import type { FileScan, Finding } from "../../../../ports/index.ts";
import type { Job, Perform } from "../checklist-run.ts";
import { countPlaced } from "../count-placed.ts";
import { runTool, type ToolCounts } from "../run-tool.ts";
import { scanRunFiles } from "../scan-run-files.ts";
import type { FileFindings } from "../tool-blob.ts";
import { chosenTools, missingTools, namedTools, presentTools } from "../tools-of-run.ts";
import type { ToolDefinition } from "../../definition/index.ts";
import { keptInventory } from "../kept-inventory.ts";

/** The tools look at all files before the scan. What they report is in a blob, by file: there may be a hundred thousand. */
export const performRunTools: Perform = async (job) => {
  const { context, run } = job;
  const paths = (await keptInventory(job)).map(({ path }) => path);
  const hashes = await hashesOf(job, paths);
  const tools = chosenTools(context, run);
  const { type, patterns } = run.definition;
  if (tools.length === 0 && patterns.patterns.length === 0 && !patterns.fromGuides) {
    const message = `None of the tools of \`${type}\` is in this workspace: ${missingTools(run.definition)}.`;
    return { outcome: { ok: false, code: "CHECKLIST_TOOL_BROKEN", message } };
  }
  const seen = await lookWith(job, tools, (path) => hashes.has(path));
  if (seen === undefined) return undefined;
  const files: Record<string, FileFindings> = {};
  for (const [path, findings] of seen.findings) {
    const hash = hashes.get(path);
    files[path] = { findings, ...(hash === undefined ? {} : { hash }) };
  }
  const placed: FileScan[] = [];
  for await (const scan of scanRunFiles(job, [...seen.findings.keys()], { patterns: false, findings: Object.fromEntries(seen.findings) }))
    placed.push(scan);
  if (job.signal.aborted) return undefined;
  const counts = countPlaced(seen.counts, placed);
  const kept = await context.store.putBlob(new TextEncoder().encode(JSON.stringify(files)));
  const used = tools.map(({ id }) => id);
  const value = { used, findings: kept.hash, counts: counts.map((each) => ({ ...each })), content: digestOf(job, hashes) };
  return done(value, undefined, { findings: { $blob: kept.hash, bytes: kept.bytes } });
};

/** Which tools are there, as a question with its choices; with a choice made at the start, or with one tool, there is nothing to ask. */
export const performFindTools: Perform = async ({ context, run }) => {
  const { definition, options } = run;
  const present = presentTools(context, definition.tools);
  if (present.length < 2 || namedTools(options) !== undefined) return done({ question: "", options: [] });
  const names = present.map(({ id }) => id);
  const all = { value: "all", label: `All: ${names.join(", ")}` };
  return done({
    question: `These tools are here: ${names.join(", ")}. Which ones are to be worked off?`,
    options: [all, ...names.map((id) => ({ value: id, label: `Only ${id}` }))],
  });
};

interface Seen {
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  readonly counts: readonly ToolCounts[];
}

/** What tools report of the files that count, one tool after the other; undefined when it was stopped. `file`: look at this one alone. */
export async function lookWith(
  { context, handle, effect, signal }: Job,
  tools: readonly ToolDefinition[],
  counts: (path: string) => boolean,
  file?: string,
): Promise<Seen | undefined> {
  const findings = new Map<string, readonly Finding[]>();
  const all: ToolCounts[] = [];
  for (const tool of tools) {
    const claim = commandClaim(context, handle, effect);
    const found = await runTool(context, { tool, counts, signal, claim, ...(file === undefined ? {} : { file }) });
    if (found === undefined) return undefined;
    all.push(found.counts);
    for (const [path, own] of found.findings) findings.set(path, [...(findings.get(path) ?? []), ...own]);
  }
  return { findings, counts: all };
}

/** What files hold now, by path; those that cannot be read have none. */
export async function hashesOf(
  job: Pick<Job, "context" | "run" | "signal">,
  paths: readonly string[],
): Promise<Map<string, string | undefined>> {
  const hashes = new Map<string, string | undefined>();
  for await (const { path, hash } of scanRunFiles(job, paths, { patterns: false })) hashes.set(path, hash);
  return hashes;
}

/** Tells whether any of the files holds something else than before. */
export function digestOf({ context }: Pick<Job, "context">, hashes: ReadonlyMap<string, string | undefined>): string {
  const lines = [...hashes].map(([path, hash = ""]) => `${hash} ${path}`);
  return context.host.sha256(lines.toSorted().join("\n"));
}

/** A file that changed while the tools looked: what they said stays, and their edits, which are for its content before, do not. */
export function withoutEdits(scan: FileScan): FileScan {
  const instances = scan.instances.map((instance) => {
    if (instance.tool === undefined || instance.edits === undefined) return instance;
    const { edits: _edits, suggestion: _suggestion, ...rest } = instance;
    return { ...rest, auto: false, needs: "review" as const, why: `The file changed while ${instance.tool} looked at it.` };
  });
  return { ...scan, instances };
}

/** The numbers of the last look, as `status` and the report show them. */
export function countsOfLook({ raw }: { readonly raw: JsonObject }): readonly ToolCounts[] {
  for (const name of ["looked", "tools"]) {
    const held = raw[name] as { readonly counts?: readonly ToolCounts[] } | undefined;
    if (held?.counts !== undefined) return held.counts;
  }
  return [];
}
