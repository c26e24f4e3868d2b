import { expect, test } from "vitest";
import { standingText } from "./standing-text.ts";

test("tasks that are under way are open, no matter who works on them", () => {
  const tasks = ["a", "b"].map((id) => ({ id, strand: id }));
  expect(standingText({ kind: "joining", tasks } as never)).toBe("2 tasks open");
});
