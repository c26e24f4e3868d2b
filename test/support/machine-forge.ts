/** What somebody can do who may write to the store but has not the key: read its journal, and put records into it by hand. */
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { engineDialects } from "../../src/bin/dialect-parts.ts";
import type { Json } from "../../src/base/index.ts";
import { closeEngine, createEngine, type EngineContext } from "../../src/engine/index.ts";
import { describeServers, createTopicLayers } from "../../src/host/index.ts";
import { createTestHost } from "./test-host.ts";
import { eventVersion, transition, type Event } from "../../src/kernel/index.ts";
import { openKnowledge } from "../../src/knowledge/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { fileTranscripts, openSqliteStore } from "../../src/store/index.ts";
import { createWorkspace } from "../../src/workspace/index.ts";

const file = (folder: string): string => join(folder, ".waymark/store/waymark.db");

interface Row {
  readonly position: number;
  readonly key: string | null;
  readonly facts: string | null;
  readonly events: string;
}

export function journalOf(folder: string, run: string): readonly Row[] {
  const db = new DatabaseSync(file(folder), { readOnly: true, timeout: 5000 });
  try {
    const rows = db.prepare(
      "select position, key, facts, events from record where run = (select no from run where id = ?) order by position",
    );
    return rows.all(run) as Row[];
  } finally {
    db.close();
  }
}

export function eventsOf(folder: string, run: string): readonly Event[] {
  return journalOf(folder, run).flatMap(({ events }) => JSON.parse(events) as readonly Event[]);
}

/** Attempts that the journal keeps: refused by the engine, or not an answer at all. */
export function attemptsIn(folder: string, run: string): number {
  return eventsOf(folder, run).filter(({ type }) => type === "refused" || type === "answer_refused").length;
}

export function sealIn(folder: string, run: string, key: string): string {
  const row = journalOf(folder, run).find((record) => record.key === key);
  return (JSON.parse(row?.facts ?? "{}") as { readonly seal?: string }).seal ?? "";
}

/** Puts a person's answer into the journal, exactly as the kernel would have written it. */
export async function forgeAnswer(
  { engine: { context }, folder }: { readonly engine: { readonly context: EngineContext }; readonly folder: string },
  run: string,
  {
    decision,
    answer,
    seal,
    declined,
  }: { readonly decision: string; readonly answer: Json; readonly seal?: string; readonly declined?: string },
): Promise<void> {
  const { program, state, head } = await context.runs.open(run);
  const revision = state.decisions[decision]?.revision ?? 1;
  const by = { kind: "person" as const, name: "owner", session: "desk", surface: "cli-terminal" };
  const at = Date.now();
  const decided = transition(program, state, {
    type: "answer",
    decision,
    revision,
    answer,
    valid: true,
    relayed: false,
    at,
    by,
    ...(declined === undefined ? {} : { declined }),
  });
  if ("rejected" in decided) throw new Error(decided.rejected.message);
  const db = new DatabaseSync(file(folder), { timeout: 5000 });
  try {
    const insert = db.prepare(
      "insert into record (run, position, at, actor, cause, key, facts, events, version) values ((select no from run where id = ?), ?, ?, ?, 'answer', ?, ?, ?, ?)",
    );
    const facts = seal === undefined ? null : JSON.stringify({ seal });
    insert.run(
      run,
      head + 1,
      at,
      JSON.stringify(by),
      `answer:${decision}:${revision}`,
      facts,
      JSON.stringify(decided.events),
      eventVersion,
    );
    db.prepare("update run set head = ? where id = ?").run(head + 1, run);
  } finally {
    db.close();
  }
}

/** A Waymark of somebody's own, with another home and so another key, on the same workspace and store. */
export async function withForeignEngine(folder: string, home: string, work: (context: EngineContext) => Promise<void>): Promise<void> {
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, "data"), XDG_CONFIG_HOME: join(home, "config") };
  const { host, config } = await createTestHost(folder, join(home, "none"), env);
  const files = createTopicLayers({
    workspace: folder,
    bundledFolder: join(home, "none"),
    configFolder: join(home, "config"),
    extraFolders: [],
    cacheFolder: join(home, "topics"),
  });
  const context = createEngine({
    ...engineDialects,
    store: await openSqliteStore({ folder: config.store }),
    transcripts: fileTranscripts({ folder: config.store }),
    host,
    sandbox: createSandbox(),
    workspace: createWorkspace({ workers: 0 }),
    knowledge: openKnowledge({ files }),
    settings: {},
    servers: describeServers(config),
  });
  try {
    await work(context);
  } finally {
    await closeEngine(context);
    await host.close();
  }
}
