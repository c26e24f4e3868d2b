import fc from "fast-check";
import { expect, test } from "vitest";
import { isAddress, isDatabaseAddress, isReadableAddress, shownDatabase } from "./database-address.ts";

test.each([
  ["postgres://ada:secret@db.example:5433/waymark?sslmode=require", "postgres://ada@db.example:5433/waymark"],
  ["postgresql://ada@db/waymark", "postgres://ada@db/waymark"],
  ["POSTGRES://db", "postgres://db"],
  ["postgres://ada:s%40c%2Fret@[::1]:5432/", "postgres://ada@[::1]:5432"],
  ["postgres:///waymark?host=/run/postgresql", "postgres:///waymark"],
])("%s is shown as %s", (address, shown) => {
  expect(shownDatabase(address)).toBe(shown);
  expect(isDatabaseAddress(address)).toBe(true);
  expect(isReadableAddress(address)).toBe(true);
});

test("a folder is no address", () => {
  for (const folder of [".waymark/store", "/tmp/postgres", "C:\\postgres", "postgres:/x"]) expect(isDatabaseAddress(folder)).toBe(false);
});

test("an address without its slashes is not taken for a folder", () => {
  for (const mistyped of ["postgres:/ada@db/x", "postgresql:db", "Postgres:"]) expect(isAddress(mistyped)).toBe(true);
  for (const folder of ["postgres", "./postgres:x", "C:\\postgres", "postgresqlx:y"]) expect(isAddress(folder)).toBe(false);
});

test("whatever a password is, it is not shown", () => {
  const part = fc.stringMatching(/^[a-z]{1,8}$/);
  const password = fc.string({ minLength: 8, maxLength: 24 }).map((text) => `Zq${text}Zq`);
  fc.assert(
    fc.property(part, password, part, (user, secret, host) => {
      const shown = shownDatabase(`postgres://${user}:${secret}@${host}/db`);
      expect([`postgres://${user}@${host}/db`, "postgres://(not an address)"]).toContain(shown);
    }),
  );
});
