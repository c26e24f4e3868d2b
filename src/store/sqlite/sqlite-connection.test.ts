import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { later, SqliteConnection } from "./sqlite-connection.ts";

let folder = "";
const opened: SqliteConnection[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-connection-"));
});
afterEach(() => {
  for (const db of opened.splice(0)) db.close();
  rmSync(folder, { recursive: true });
});

function connect(patienceMs: number): SqliteConnection {
  const file = join(folder, "x.db");
  const db = new SqliteConnection({ file, patienceMs });
  opened.push(db);
  return db;
}

/** Another connection that lets nobody in, which in this journal mode stops readers too. */
function holder(): SqliteConnection {
  const db = connect(0);
  db.exec("create table if not exists t (a text) strict; begin exclusive");
  return db;
}

test.each<[string, (db: SqliteConnection) => unknown, unknown]>([
  ["one row", (db) => db.get("select a from t"), { a: "x" }],
  ["many rows", (db) => db.all("select a from t"), [{ a: "x" }]],
])("a reader of %s waits for the lock, then gives up with the file's name", async (_name, read, rows) => {
  const db = connect(100);
  const other = holder();
  other.exec("commit");
  read(db); // The statement is prepared before the file is locked, so that running it is what meets the lock.
  other.exec("begin exclusive");
  await expect(db.read(() => read(db))).rejects.toMatchObject({
    code: "STORE_LOCKED",
    message: expect.stringContaining(join(folder, "x.db")),
  });
  await expect(db.snapshot(() => read(db))).rejects.toMatchObject({ code: "STORE_LOCKED" });
  let tries = 0;
  const waiting = [db.read.bind(db), db.snapshot.bind(db)].map((look) =>
    look(() => {
      tries += 1;
      return read(db);
    }),
  );
  expect(tries).toBe(2);
  other.exec("insert into t values ('x'); commit");
  await expect(Promise.all(waiting)).resolves.toEqual([rows, rows]);
  expect(tries).toBe(4);
});

test("work that says `later` is tried again from the begin and has written nothing", async () => {
  const db = connect(1_000);
  db.exec("create table t (a text) strict");
  let tries = 0;
  const result = await db.write(() => {
    db.run("insert into t values ('x')");
    tries += 1;
    return tries < 3 ? later : "done";
  });
  expect([result, tries, db.all("select a from t").length]).toEqual(["done", 3, 1]);
});

test("work that throws has written nothing, and the connection goes on", async () => {
  const db = connect(1_000);
  db.exec("create table t (a text) strict");
  const failing = db.write(() => {
    db.run("insert into t values ('x')");
    throw new Error("no");
  });
  await expect(failing).rejects.toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("no") });
  await db.write(() => db.run("insert into t values (?)", "y"));
  expect(db.all<{ a: string }>("select a from t").map(({ a }) => a)).toEqual(["y"]);
});

test("a schema that another process wrote refuses every write", async () => {
  const db = connect(0);
  db.exec("create table meta (name text primary key, value text); insert into meta values ('schema', '2')");
  db.requireSchema(1);
  await expect(db.write(() => 1)).rejects.toMatchObject({ code: "STORE_TOO_NEW" });
  expect(await db.read(() => 1)).toBe(1);
});
