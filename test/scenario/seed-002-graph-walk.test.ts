/** Seed 002, graphs: made graphs in every order of what happens to their nodes, against a model of a few lines. */
import { expect, test } from "vitest";
import { walkGraphs } from "../support/graph-walk.ts";

/** A few with `npm test`, other ones each time; many with `npm run test:long`. */
const walks = Number(process.env["WAYMARK_GRAPH_WALKS"] ?? 10);

test("a node runs exactly when its rule holds over what is above it now, whatever fails, is skipped, opened again or killed", async () => {
  expect((await walkGraphs(walks)).walks).toBe(walks);
}, 1_200_000);
