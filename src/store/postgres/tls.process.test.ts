import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notDurable, startPostgres, type PostgresServer } from "../../../test/support/postgres-server.ts";
import type { Store } from "../../ports/index.ts";
import { postgresStore } from "./open-postgres-store.ts";

let folder = "";
let server: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waymark-tls-"));
  for (const name of ["right", "wrong"]) makeAuthority(name);
  makeCertificate();
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");
  server = await startPostgres({
    settings: { ...notDurable, ssl: "on", ssl_cert_file: "../server.crt", ssl_key_file: "../server.key" },
    files: { "server.crt": text("server.crt"), "server.key": text("server.key") },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function openssl(...args: readonly string[]): void {
  execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
}

function makeAuthority(name: string): void {
  const subject = ["-subj", `/CN=${name} authority of a test`, "-days", "2"];
  openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", `${name}.key`, "-out", `${name}.pem`, ...subject);
}

/** The right authority says that it belongs to 127.0.0.1. */
function makeCertificate(): void {
  openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=127.0.0.1");
  writeFileSync(join(folder, "names"), "subjectAltName=IP:127.0.0.1\n");
  const by = ["-CA", "right.pem", "-CAkey", "right.key", "-CAcreateserial", "-extfile", "names", "-days", "2"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.crt", ...by);
}

async function withStore<T>(options: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { store } = postgresStore({ url: `${server.url("postgres")}?${options}`, project: "tests", cacheFolder: folder });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function encryptedConnections(): Promise<number> {
  const client = new pg.Client({ connectionString: server.url("postgres") });
  await client.connect();
  const sql = "select 1 from pg_stat_ssl join pg_stat_activity using (pid) where ssl and application_name = 'waymark'";
  const { rowCount } = await client.query(sql);
  await client.end();
  return rowCount ?? 0;
}

test("options of the address decide about TLS: the right authority connects, a wrong or missing one is refused at once", async () => {
  const authority = (name: string): string => `sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, `${name}.pem`))}`;
  await withStore(authority("right"), async (store) => {
    await store.putBlob(Buffer.from("hello"));
    expect(await encryptedConnections()).toBe(1);
  });
  for (const options of [authority("wrong"), "sslmode=verify-full"]) {
    const refusal = { code: "STORE_CANNOT_OPEN", message: expect.stringMatching(/certificate/) as string };
    await withStore(options, (store) => expect(store.listRuns({})).rejects.toMatchObject(refusal));
  }
});
