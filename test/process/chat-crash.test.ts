import { expect, test } from "vitest";
import { killChats } from "../crash/chat-matrix.ts";

test.each(["stream", "batch"] as const)(
  "in %s mode the run is started once, and nothing is shown twice but what was being sent",
  async (mode) => {
    expect((await killChats(mode, 6)).size).toBeGreaterThan(5);
  },
);
