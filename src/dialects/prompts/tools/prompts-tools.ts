import type { DialectTools } from "../../../mcp/index.ts";

/** A run of a chain says by which uuid others know it, and what it has left behind. */
export const promptsTools: DialectTools = {
  dialect: "prompts",
  parts: { workflow_status: { returns: "of a chain of prompts `workflow_id` (its uuid), `artifacts` with their sizes, `log`" } },
  status: async (engine, { id }) => {
    const { describeRun } = await import("../run/index.ts");
    const { data, artifacts } = await describeRun(engine, id);
    const files = artifacts?.files.map(({ path, bytes }) => `${path} (${bytes} bytes)`).join(", ");
    return {
      data,
      lines: artifacts === undefined ? [] : [`Artifacts in ${artifacts.folder}: ${files === "" ? "none yet" : (files ?? "")}.`],
    };
  },
};
