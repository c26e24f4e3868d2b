import fc from "fast-check";
import { expect, test } from "vitest";
import { isDatabaseUrl, requireDatabaseUrl, shownDatabase } from "./database-url.ts";

test("an address is known by its scheme, a folder is none", () => {
  for (const url of ["postgres://h/d", "postgresql://h/d", "Postgres://h/d"]) expect(isDatabaseUrl(url)).toBe(true);
  for (const folder of [".waymark", "/srv/postgres://x", "C:\\postgres", "mysql://h/d"]) expect(isDatabaseUrl(folder)).toBe(false);
});

test("an address is shown without password and options", () => {
  expect(shownDatabase("postgres://ann:secret@db.example.org:6432/runs?sslmode=verify-full&password=secret")).toBe(
    "postgres://ann@db.example.org:6432/runs",
  );
  expect(shownDatabase("postgres://ann:secret@/runs?host=/run/postgresql")).toBe("postgres://ann@localhost/runs");
  expect(shownDatabase("postgres://db.example.org")).toBe("postgres://db.example.org");
});

test.each(["postgres://u7:sec/ret@h:x/d", "postgres://u7:50%@h/d", "postgres://u7:99999/d"])("%s is refused, and not repeated", (url) => {
  expect(() => requireDatabaseUrl(url)).toThrow(expect.objectContaining({ code: "STORE_CANNOT_OPEN" }) as Error);
  expect(() => requireDatabaseUrl(url)).not.toThrow(/u7|sec|50%|99999/);
});

test("no password is shown, however it is written", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", ":", "@", "/", "?", "#", "%", "&", " ", "=", "é") });
  fc.assert(
    fc.property(word, fc.boolean(), (tail, isEncoded) => {
      const password = `secret${tail}`;
      const url = `postgres://ann:${isEncoded ? encodeURIComponent(password) : password}@db.example.org/runs?password=${encodeURIComponent(password)}`;
      expect(shownDatabase(url)).not.toContain("secret");
    }),
  );
});
