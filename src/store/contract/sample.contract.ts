import type { Item } from "../../program/index.ts";
import type { Commit, ItemChange, NewRecord, RunRow, Store } from "../../ports/index.ts";

/** Small values that the contract's tests are made of. */
export const nothing: Commit = { records: [], items: [] };

export function record(more: Partial<NewRecord> = {}): NewRecord {
  return {
    at: 1_000,
    actor: { kind: "engine", name: "engine", session: "s", surface: "test" },
    cause: "advance",
    events: "[]",
    version: 1,
    ...more,
  };
}

export function commitOf(more: Partial<Commit> = {}): Commit {
  return { ...nothing, records: [record()], ...more };
}

export function item(id: string, more: Partial<Item> = {}): Item {
  return { list: "files", id, order: id, status: "pending", data: { id }, facets: {}, root: id, attempts: 0, waitsFor: 0, ...more };
}

export function added(items: readonly Item[], list = "files"): ItemChange {
  return { type: "items_added", list, items };
}

let runs = 0;

/** Creates a run with one record and real blobs, and answers its id. */
export async function startRun(
  store: Store,
  more: { readonly id?: string; readonly workflow?: string; readonly commit?: Partial<Commit> } = {},
): Promise<string> {
  const id = more.id ?? `run-${(runs += 1)}`;
  await store.createRun({ ...(await pins(store)), id, workflow: more.workflow ?? "demo" }, commitOf(more.commit));
  return id;
}

export async function pins(store: Store): Promise<Pick<RunRow, "program" | "sources">> {
  const program = await store.putBlob(Buffer.from("program"));
  const sources = await store.putBlob(Buffer.from("sources"));
  return { program: program.hash, sources: sources.hash };
}

/** Applies changes of items and nothing else, at whatever head the run has. */
export async function change(store: Store, run: string, ...items: readonly ItemChange[]): Promise<void> {
  const head = (await store.readRun(run))?.head ?? 0;
  await store.commit(run, head, { ...nothing, items });
}

/** For `rejects.toMatchObject`. */
export function refusal(code: string): { readonly code: string } {
  return { code };
}
