import { counted, defined } from "../../../base/index.ts";
import { loadCommandKit, type CommandShare, type ShownPart } from "../../../cli/index.ts";
import { maskSecrets } from "../../../engine/index.ts";
import type { GraphNode, PromptsDefinition } from "../definition/index.ts";
import { describeRun, lostItems, lostLines, lostText, nodeRows } from "../run/index.ts";

const { printItems } = await loadCommandKit();

export const promptsShare: CommandShare = {
  items: async ({ session, context }, run, options) => {
    const handle = await context.runs.open(run);
    const rows = await nodeRows(context, handle);
    return rows && printItems(session, maskSecrets([...rows], handle.program, handle.state), options);
  },
  status: async (context, run) => {
    const { data, artifacts, nodes } = await describeRun(context, run);
    const showArtifacts = shownArtifacts(artifacts);
    return {
      data,
      show: (out) => {
        for (const line of nodes) out.line(line);
        showArtifacts(out);
      },
    };
  },
  undone: async (context, run) => {
    const handle = await context.runs.open(run);
    const lost = await lostItems(context, handle);
    const undone = { text: lost.map(lostText).join(", "), lines: lost.flatMap((each) => lostLines(each, lostShown)) };
    return maskSecrets(undone, handle.program, handle.state);
  },
  leaves: async (context, run) => {
    const { data, artifacts } = await describeRun(context, run);
    const { log } = data;
    return [...(artifacts === undefined ? [] : [artifacts.folder]), ...(typeof log === "string" ? [log] : [])];
  },
  branches: (program) =>
    Object.keys(program.blocks).flatMap((enters) => {
      const [block = "", part, more] = enters.split("$");
      if (more !== undefined) return [];
      if (part === "off") return [{ block, way: "condition does not hold", enters }];
      return part === "skip" && ruleOf(program, block) !== "all_success" ? [{ block, way: "rule does not hold", enters }] : [];
    }),
  calledStatus: async (context, run) => {
    const { data, artifacts } = await describeRun(context, run);
    return { data: defined({ artifacts: data["artifacts"] }), show: shownArtifacts(artifacts) };
  },
};

/** At the end of a drive; the status shows more. */
const lostShown = 10;

function shownArtifacts(artifacts: Awaited<ReturnType<typeof describeRun>>["artifacts"]): ShownPart["show"] {
  return (out) => {
    if (artifacts === undefined) return;
    out.line(`Artifacts: ${artifacts.folder} (${counted(artifacts.files.length, "file")}).`);
    for (const { path, bytes } of artifacts.files) out.line(`  ${path} (${counted(bytes, "byte")})`);
  };
}

/** The rule of a node of the graph itself; nodes of called ones count with the usual one. */
function ruleOf({ parts, main }: Parameters<NonNullable<CommandShare["branches"]>>[0], block: string): GraphNode["rule"] {
  const definition = parts[main]?.config["prompts"] as unknown as PromptsDefinition | undefined;
  const within = (all: readonly GraphNode[]): readonly GraphNode[] =>
    all.flatMap((node) => [node, ...(node.does.kind === "group" ? within(node.does.nodes) : [])]);
  return within(definition?.nodes ?? []).find((node) => node.block === block)?.rule ?? "all_success";
}
