/** What the built command says of a database that it cannot use: the cause at once, and what helps against it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMachine, type Machine } from "../../../test/support/machine.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/postgres-database.ts";

let database: TestDatabase;
let machine: Machine;
let folder = "";
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "waymark-refused-"));
  machine = await openMachine({ name: "one", files: {}, url: database.url });
});
afterAll(async () => {
  await machine.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

const said = async (url: string, env: Record<string, string> = {}): Promise<string> => {
  const child = machine.start(["status"], { WAYMARK_STORE_URL: url, PGPASSFILE: join(folder, "none"), PGPASSWORD: "", ...env });
  child.process.stdin.end();
  await child.ended;
  return child.stderr();
};
const without = (): string => database.url.replace(/:[^:@/]+@/, "@");

test("each cause has its own advice", async () => {
  const causes: readonly (readonly [string, RegExp])[] = [
    [without(), /asks for a password, and none was given.*\n→ Put it into the address \(`WAYMARK_STORE_URL`\), into `PGPASSWORD`/],
    [database.url.replace(/:[^:@/]+@/, ":wrong@"), /\n→ Correct the user in the address, or its password/],
    [database.url.replace(/\/[^/]+$/, "/nowhere"), /\n→ Correct the name of the database/],
    [`${database.url}?sslmode=require`, /does not support SSL connections\. .*\n→ Turn TLS on at the server/],
    [`${database.url}?sslmode=nonsense`, /`sslmode=nonsense` is not possible.*\n→ Write `sslmode=verify-full`/],
    [`${database.url}?sslrootcert=/nowhere/ca.pem`, /\n→ Correct the path of the file/],
  ];
  for (const [url, expected] of causes) {
    const text = await said(url);
    expect(text).toMatch(expected);
    // Nothing of the driver beside it.
    expect(text.trim().split("\n")).toHaveLength(2);
  }
});

test("a password file is used without a word", async () => {
  const [, password = ""] = /:([^:@/]+)@/.exec(database.url) ?? [];
  const file = join(folder, "pgpass");
  await writeFile(file, `127.0.0.1:*:*:*:${password}\n`, { mode: 0o600 });
  expect(await said(without(), { PGPASSFILE: file })).toBe("");
});
