/** What must hold of an earlier store whatever was done with it. */
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { JsonObject } from "../../src/base/index.ts";
import { lostSince, type EarlierStore, type Said } from "./earlier-store.ts";

/** The same work for all, two at a time: each is a process of its own. */
export async function forEach<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) await work(each);
  };
  await Promise.all([worker(), worker()]);
}

export async function expectSound(store: EarlierStore): Promise<void> {
  await forEach(store.workspaces, async (workspace) => {
    expect(await store.json(workspace, ["doctor"]), workspace).toMatchObject({ problems: [] });
  });
}

/** The run holds what it held before, and so do the files in which bots and machines keep what was done. */
export async function expectKept(store: EarlierStore, { workspace, run, place, state, items }: Said): Promise<void> {
  const { state: now } = await store.json<{ readonly state: JsonObject }>(workspace, ["state", run, "--of", "run"]);
  expect(lostSince(state.state, now), place).toEqual([]);
  const rows = items.length === 0 ? [] : await store.lines(workspace, ["items", run, "--kind", "all"]);
  const settled = items.filter(({ status }) => status !== "pending" && status !== "in_progress");
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  for (const { id, status } of settled) expect(statuses.get(id), `${place}: ${JSON.stringify(id)}`).toBe(status);
  for (const [file, text] of store.leftFiles(workspace, "activity_log.json")) {
    const before = JSON.parse(text) as readonly unknown[];
    expect((JSON.parse(await readFile(file, "utf8")) as readonly unknown[]).slice(0, before.length), file).toEqual(before);
  }
  for (const [file, text] of store.leftFiles(workspace, "/status.json")) {
    const after = decisionsIn(await readFile(file, "utf8"));
    for (const answered of decisionsIn(text).filter(({ status }) => status === "answered")) expect(after, file).toContainEqual(answered);
  }
}

const decisionsIn = (text: string): readonly JsonObject[] =>
  (JSON.parse(text) as { readonly user_decisions: readonly JsonObject[] }).user_decisions;
