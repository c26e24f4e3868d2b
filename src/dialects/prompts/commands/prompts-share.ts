import { counted } from "../../../base/index.ts";
import type { CommandShare } from "../../../cli/index.ts";
import { describeRun } from "../run/index.ts";

export const promptsShare: CommandShare = {
  status: async (context, run) => {
    const { data, artifacts } = await describeRun(context, run);
    return {
      data,
      show: (out) => {
        if (artifacts === undefined) return;
        out.line(`Artifacts: ${artifacts.folder} (${counted(artifacts.files.length, "file")}).`);
        for (const { path, bytes } of artifacts.files) out.line(`  ${path} (${counted(bytes, "byte")})`);
      },
    };
  },
};
