import { expect, test } from "vitest";
import { requireDatabaseUrl } from "./database-url.ts";

test.each(["postgres://u7:sec/ret@h:x/d", "postgres://u7:50%@h/d"])("%s is refused, and not repeated", (url) => {
  expect(() => requireDatabaseUrl(url)).toThrow(expect.objectContaining({ code: "STORE_CANNOT_OPEN" }) as Error);
  expect(() => requireDatabaseUrl(url)).not.toThrow(/u7|sec|50%/);
});

test.each(["postgres://ann:p%25w@h:5432/d?sslmode=verify-full", "postgres://ann@/d?host=/run/postgresql", "postgresql://h"])(
  "%s is taken",
  (url) => {
    expect(() => requireDatabaseUrl(url)).not.toThrow();
  },
);
