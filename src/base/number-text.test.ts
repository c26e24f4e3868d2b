import { expect, test } from "vitest";
import { counted, dollars, grouped } from "./number-text.ts";

test("numbers are grouped by three", () => {
  expect([0, 12, 999, 1879, 1234567, -1500, 1234.5].map(grouped)).toEqual(["0", "12", "999", "1,879", "1,234,567", "-1,500", "1,234.5"]);
  expect(counted(1, "file")).toBe("1 file");
  expect(counted(2341, "batch", "batches")).toBe("2,341 batches");
});

test("money has cents, and small amounts more of them", () => {
  expect([0, 0.0042, 0.5, 5, 12.345].map(dollars)).toEqual(["$0.00", "$0.0042", "$0.50", "$5.00", "$12.35"]);
});
