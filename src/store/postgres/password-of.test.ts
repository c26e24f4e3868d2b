import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { driverAddress } from "./driver-address.ts";
import { passwordIn } from "./password-of.ts";

let folder = "";
let env: { readonly HOME: string; readonly PGPASSFILE: string };
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-pgpass-"));
  env = { HOME: folder, PGPASSFILE: join(folder, "pgpass") };
  writeFileSync(env.PGPASSFILE, "db:5433:runs:ada:right\n*:*:*:ada:other\n", { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["db:5432:runs:ada:secret", "secret"],
  ["# db:5432:runs:ada:no\n*:*:*:*:se:cr\\\\et", "se:cr\\et"],
  ["db:5432:other:ada:no\ndb:*:runs:ada:yes", "yes"],
  ["d\\:b:5432:runs:ada:no", undefined],
  ["db:5432:runs", undefined],
])("of the lines %j the first one that fits has the password %j", (text, password) => {
  expect(passwordIn(text, ["db", "5432", "runs", "ada"])).toBe(password);
});

const given = (url: string, more: Record<string, string> = {}): string | null =>
  new URLSearchParams(driverAddress(url, "here", { ...env, ...more }).connectionString.split("?")[1]).get("password");

test("a password of the address or of the environment counts before the file", () => {
  expect(given("postgres://ada@db:5433/runs")).toBe("right");
  expect(given("postgres://ada@db/runs?host=/run/postgresql")).toBe("other");
  expect(given("postgres://ada:x@db:5433/runs")).toBeNull();
  expect(given("postgres://ada@db:5433/runs", { PGPASSWORD: "x" })).toBeNull();
  expect(driverAddress("postgres://bob@db/runs", "here", env).withoutPassword).toBe(true);
});

test.skipIf(process.platform === "win32")("a file that others can read does not count", () => {
  chmodSync(env.PGPASSFILE, 0o644);
  expect(driverAddress("postgres://ada@db:5433/runs", "here", env).withoutPassword).toBe(true);
  chmodSync(env.PGPASSFILE, 0o600);
});

const tls = (options: string): unknown => driverAddress(`postgres://ada:x@db/runs?${options}`, "here", env).ssl;

test("TLS is checked in full unless the address says what is not to be checked", () => {
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, "authority");
  expect(tls("application_name=a")).toBeUndefined();
  expect(tls("sslmode=disable")).toBe(false);
  expect([tls("sslmode=require"), tls("sslmode=verify-full")]).toEqual([{}, {}]);
  expect([tls(`sslrootcert=${ca}`), tls(`sslmode=require&sslrootcert=${ca}`)]).toEqual(Array(2).fill({ ca: "authority" }));
  expect(tls(`sslmode=verify-ca&sslrootcert=${ca}`)).toEqual({ ca: "authority", checkServerIdentity: expect.any(Function) });
  const others = { ...env, PGSSLMODE: "verify-full", PGSSLROOTCERT: ca };
  expect(driverAddress("postgres://ada:x@db/runs", "here", others).ssl).toEqual({ ca: "authority" });
  expect(driverAddress("postgres://ada:x@db/runs?sslmode=disable", "here", others).ssl).toBe(false);
  expect(tls("sslmode=no-verify")).toEqual({ rejectUnauthorized: false });
});

test.each(["prefer", "allow", "nonsense", "verify-ca", ""])("`sslmode=%s` is refused", (mode) => {
  expect(() => tls(`sslmode=${mode}`)).toThrow(
    expect.objectContaining({ code: "STORE_CANNOT_OPEN", fix: expect.stringContaining("sslmode=verify-full") }) as Error,
  );
});
