import { counted, defined } from "../../../base/index.ts";
import type { CommandShare, ShownPart } from "../../../cli/index.ts";
import { describeRun } from "../run/index.ts";

export const promptsShare: CommandShare = {
  status: async (context, run) => {
    const { data, artifacts } = await describeRun(context, run);
    return { data, show: shownArtifacts(artifacts) };
  },
  calledStatus: async (context, run) => {
    const { data, artifacts } = await describeRun(context, run);
    return { data: defined({ artifacts: data["artifacts"] }), show: shownArtifacts(artifacts) };
  },
};

function shownArtifacts(artifacts: Awaited<ReturnType<typeof describeRun>>["artifacts"]): ShownPart["show"] {
  return (out) => {
    if (artifacts === undefined) return;
    out.line(`Artifacts: ${artifacts.folder} (${counted(artifacts.files.length, "file")}).`);
    for (const { path, bytes } of artifacts.files) out.line(`  ${path} (${counted(bytes, "byte")})`);
  };
}
