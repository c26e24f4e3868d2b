import { expect, test } from "vitest";
import { versionsIn } from "./versions-in.ts";

test.each([
  ["take us from BC23 to BC24", "BC23", "BC24"],
  ["upgrade bc 21 -> 27, please", "BC21", "BC27"],
  ["BC21→BC22", "BC21", "BC22"],
  ["move the app to BC25", undefined, "BC25"],
  ["away from BC 19!", "BC19", undefined],
  ["to BC25, coming from BC22", "BC22", "BC25"],
  ["from 21 to 24 users", undefined, undefined],
  ["BC24 is broken", undefined, undefined],
])("%s", (request, source, target) => {
  expect([versionsIn(request).source_version, versionsIn(request).target_version]).toEqual([source, target]);
});
