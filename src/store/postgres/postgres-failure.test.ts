import { expect, test } from "vitest";
import { isCollision, isLost, postgresFailure } from "./postgres-failure.ts";

function failure(code: string, message = "why", more: object = {}): Error {
  return Object.assign(new Error(message), { code }, more);
}

test("a server that ends, starts, is a standby or is not reached is waited for", () => {
  for (const code of ["57P01", "57P02", "57P03", "25006", "08006", "ECONNREFUSED", "ECONNRESET", "ENOTFOUND"])
    expect(isLost(failure(code)), code).toBe(true);
  expect(isLost(failure("ENOENT", "no socket", { syscall: "connect" }))).toBe(true);
  expect(isLost(new Error("Connection terminated unexpectedly"))).toBe(true);
  expect(isLost(new AggregateError([failure("ECONNREFUSED"), failure("ECONNREFUSED")]))).toBe(true);
});

test("what another attempt would not change is not", () => {
  for (const code of ["23505", "42P01", "28P01", "42501", "53100"]) expect(isLost(failure(code)), code).toBe(false);
  expect(isLost(failure("ENOENT", "no certificate", { syscall: "open" }))).toBe(false);
  expect(isLost(new AggregateError([failure("ECONNREFUSED"), failure("23505")]))).toBe(false);
  expect(isLost(new TypeError("x is not a function"))).toBe(false);
});

test("two transactions in each other's way are tried again", () => {
  expect(["40001", "40P01"].map((code) => isCollision(failure(code)))).toEqual([true, true]);
  expect(isCollision(failure("23505"))).toBe(false);
});

test.each([
  ["28P01", "STORE_CANNOT_OPEN"],
  ["3D000", "STORE_CANNOT_OPEN"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "STORE_CANNOT_OPEN"],
  ["ENOENT", "STORE_CANNOT_OPEN"],
  ["42501", "STORE_READ_ONLY"],
  ["55P03", "STORE_LOCKED"],
  ["53100", "STORE_FULL"],
  ["53200", "STORE_FAILED"],
  ["XX001", "STORE_CORRUPT"],
  ["22P02", "STORE_REFUSED"],
  ["22001", "STORE_REFUSED"],
  ["23514", "STORE_REFUSED"],
  ["42804", "STORE_REFUSED"],
  ["42P01", "STORE_FAILED"],
])("%s of the server or the driver is %s", (code, known) => {
  expect(postgresFailure(failure(code), "postgres://h/d")).toMatchObject({
    code: known,
    message: expect.stringContaining("postgres://h/d"),
  });
});

test("what to do names no folder where the store has none", () => {
  expect(postgresFailure(failure("42501"), "postgres://h/d").fix).toContain("postgresql-roles.sql");
});

test("a name that no index takes is said to be too long, whatever else is", () => {
  const failures = [
    failure("54000", 'index row size 3528 exceeds btree version 4 maximum 2704 for index "item_order"'),
    failure("54000", "index row requires 12016 bytes, maximum size is 8191"),
    failure("54000", "string buffer exceeds maximum allowed length"),
  ];
  expect(failures.map((one) => postgresFailure(one, "postgres://h/d").code)).toEqual([
    "STORE_NAME_TOO_LONG",
    "STORE_NAME_TOO_LONG",
    "STORE_REFUSED",
  ]);
});
