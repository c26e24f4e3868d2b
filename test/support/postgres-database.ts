import { randomBytes } from "node:crypto";
import pg from "pg";
import { sharedPostgres } from "./postgres-for-tests.ts";

/** An empty database of a test file's own on the shared server. */
export interface TestDatabase {
  readonly url: string;
  readonly query: <Row extends object>(sql: string, params?: readonly unknown[]) => Promise<Row[]>;
  readonly drop: () => Promise<void>;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await sharedPostgres();
  const name = `test_${randomBytes(6).toString("hex")}`;
  const url = server.replace(/\/postgres$/, `/${name}`);
  await ask(server, `create database ${name}`);
  return {
    url,
    query: (sql, params) => ask(url, sql, params),
    drop: async () => void (await ask(server, `drop database if exists ${name} with (force)`)),
  };
}

async function ask<Row extends object>(url: string, sql: string, params: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...params])).rows;
  } finally {
    await client.end();
  }
}
