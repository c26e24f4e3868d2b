import { defined } from "../../../base/index.ts";
import type { DialectTools } from "../../../mcp/index.ts";

/** A run of a chain says by which uuid others know it, and what it has left behind. */
export const promptsTools: DialectTools = {
  dialect: "prompts",
  parts: {
    workflow_status: {
      returns:
        "of a chain of prompts `workflow_id` (its uuid), `artifacts` with their sizes, `log`; of a graph `nodes`, how many have come how far, why some were `passed`, and which items of a `fan_out` were `lost`",
    },
  },
  status: describe,
  calledStatus: async (engine, handle) => {
    const { data, lines } = await describe(engine, handle);
    return { data: defined({ artifacts: data["artifacts"] }), lines };
  },
};

async function describe(
  ...[engine, { id }]: Parameters<NonNullable<DialectTools["status"]>>
): ReturnType<NonNullable<DialectTools["status"]>> {
  const { describeRun } = await import("../run/index.ts");
  const { data, artifacts, nodes } = await describeRun(engine, id);
  const files = artifacts?.files.map(({ path, bytes }) => `${path} (${bytes} bytes)`).join(", ");
  return {
    data,
    lines: [
      ...nodes,
      ...(artifacts === undefined ? [] : [`Artifacts in ${artifacts.folder}: ${files === "" ? "none yet" : (files ?? "")}.`]),
    ],
  };
}
