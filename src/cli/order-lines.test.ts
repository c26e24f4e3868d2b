import { expect, test } from "vitest";
import { orderLines } from "./order-lines.ts";

const record = (position: number, at: number) => ({ position, at, text: `r${position}` });
const message = (at: number) => ({ at, text: `m${at}` });

test("what agents said comes before the records of the same moment and of later ones", () => {
  expect(orderLines([record(1, 5), record(2, 5), record(3, 8)], [message(5), message(6)], [])).toEqual(["m5", "r1", "r2", "m6", "r3"]);
});

test("what the driver said is between the records around it, whatever their times are", () => {
  const said = [0, 2, 2, 3].map((head, at) => ({ head, at: 5, text: `s${at}` }));
  expect(orderLines([record(1, 5), record(2, 5), record(3, 5)], [], said)).toEqual(["s0", "r1", "r2", "s1", "s2", "r3", "s3"]);
});

test("what the driver said is before words of others that came later", () => {
  const said = [{ head: 1, at: 5, text: "s" }];
  expect(orderLines([record(1, 3), record(2, 9)], [message(4), message(7)], said)).toEqual(["r1", "m4", "s", "m7", "r2"]);
});
