import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { JournalRecord } from "../src/ports/index.ts";

/** Bytes of journal records as they lie in their rows. */
export function recordBytes(records: readonly JournalRecord[]): number {
  const texts = records.map(({ actor, cause, key, facts, events }) =>
    [JSON.stringify(actor), cause, key ?? "", facts ?? "", events].join(""),
  );
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 24, 0);
}

/** The least a durable store can do: one row of this many bytes in one transaction, with the driver and settings the store uses. */
export function openBareTransaction(folder: string, bytes: number): { readonly write: () => void; readonly close: () => void } {
  const db = new DatabaseSync(join(folder, "bare.db"));
  const mode = db.prepare("pragma journal_mode = wal").get() as { journal_mode: string };
  db.exec("pragma synchronous = full; create table row (no integer primary key, body text not null) strict");
  const { synchronous } = db.prepare("pragma synchronous").get() as { synchronous: number };
  if (mode.journal_mode !== "wal" || synchronous !== 2) throw new Error("The reference could not be set to WAL and synchronous=FULL.");
  const begin = db.prepare("begin immediate");
  const insert = db.prepare("insert into row (body) values (?)");
  const commit = db.prepare("commit");
  const body = "x".repeat(bytes);
  return {
    write: () => {
      begin.run();
      insert.run(body);
      commit.run();
    },
    close: () => db.close(),
  };
}
