import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { oldCalls } from "../support/checklist-sample.ts";

export const batchWorkflow = "old-calls";
export const readOnlyFiles = 4;

/** Hash of every file, by path. */
export type Hashes = Readonly<Record<string, string>>;

/** Files in several folders, encodings and sizes, each with calls that a batch converts and some that it leaves. */
export function growBatchTree(work: string, files: number): void {
  mkdirSync(join(work, ".waymark", "workflows"), { recursive: true });
  writeFileSync(join(work, ".waymark", "workflows", `${batchWorkflow}.workflow.yaml`), oldCalls);
  for (let index = 0; index < files; index += 1) {
    const place = join(work, pathOf(index));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, bytesOf(index));
    if (index < readOnlyFiles) chmodSync(place, 0o444);
  }
}

/** How many calls a batch previews, and how many of them lie in files that cannot be written. */
export function expectedCalls(files: number): { readonly previewed: number; readonly failed: number } {
  let [previewed, failed] = [0, 0];
  for (let index = 0; index < files; index += 1) {
    previewed += callsIn(index);
    if (index < readOnlyFiles) failed += callsIn(index);
  }
  return { previewed, failed };
}

/** Files that the batch cannot write. */
export function isReadOnly(path: string): boolean {
  return Array.from({ length: readOnlyFiles }, (_, index) => pathOf(index)).includes(path);
}

function pathOf(index: number): string {
  return `d${index % 5}/${index % 2 === 0 ? "deep/" : ""}f${String(index).padStart(3, "0")}.js`;
}

function callsIn(index: number): number {
  return 1 + (index % 3);
}

function bytesOf(index: number): Buffer {
  const end = index % 2 === 0 ? "\n" : "\r\n";
  const calls = Array.from({ length: callsIn(index) }, (_, at) => `old('ä${index}-${at}');`);
  const padding = "// \u00fcber nichts".repeat(1 + (index % 40) * (index % 7 === 0 ? 60 : 1));
  const text = [padding, ...calls, `old(x${index}); // old('no')`, ""].join(end);
  switch (index % 4) {
    case 1:
      return Buffer.from(`\ufeff${text}`);
    case 2:
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    case 3:
      return Buffer.from(text, "latin1");
    default:
      return Buffer.from(text);
  }
}

export function hashesOf(work: string): Hashes {
  const found: Record<string, string> = {};
  for (const path of readdirSync(work, { recursive: true, encoding: "utf8" }))
    if (path.endsWith(".js")) found[path.replaceAll("\\", "/")] = hashOf(readFileSync(join(work, path)));
  return found;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What writes that were cut short left among the user's files; the store looks after its own folder. */
export function straysIn(work: string): readonly string[] {
  return readdirSync(work, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tmp") && !path.startsWith(".waymark"));
}
