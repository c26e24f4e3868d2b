import { expect, test } from "vitest";
import { killChats } from "../crash/chat-matrix.ts";

test.each(["stream", "batch"] as const)(
  "killed at every point, in %s mode, the run is started once, and nothing is shown twice but what was being sent",
  async (mode) => {
    expect((await killChats(mode)).size).toBeGreaterThan(30);
  },
);
