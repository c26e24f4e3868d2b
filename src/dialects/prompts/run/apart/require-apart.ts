import { refused, type Beginning } from "../../../../engine/index.ts";
import { blocksInside, type Program } from "../../../../program/index.ts";
import type { GraphNode, PromptsDefinition } from "../../definition/index.ts";

/** Throws when calls of a graph ask for worktrees of their own and cannot have them. */
export function requireApart({ name, nodes = [] }: PromptsDefinition, { program, folder }: Beginning): void {
  const [node] = apartNodes(nodes);
  if (node === undefined) return;
  if (folder === undefined)
    throw refused(
      "PROMPTS_NEEDS_WORKTREE",
      `The node \`${node}\` of \`${name}\` works in worktrees (\`isolation: worktree\`), and only a run with a worktree of its own can bring them together. Nothing was started.`,
      `Start it with \`waymark run ${program.name} --worktree\`. To work in the folder of the run, write \`isolation: inherit\`.`,
    );
  const loose = notAwaited(program);
  if (loose !== undefined)
    throw refused(
      "PROMPTS_NOT_AWAITED",
      `\`${loose}\` is called in a worktree of its own, and has steps that nobody waits for. Nothing was started.`,
      "Wait for these steps there, or write `isolation: inherit`.",
    );
}

function apartNodes(nodes: readonly GraphNode[]): readonly string[] {
  return nodes.flatMap(({ id, does }) => {
    if (does.kind === "group") return apartNodes(does.nodes);
    return does.kind === "call" && does.apart === true ? [id] : [];
  });
}

/** A workflow that is called in a worktree, and is over before all of its strands are. */
function notAwaited(program: Program): string | undefined {
  for (const block of Object.values(program.blocks)) {
    if (block.kind !== "seq" || !block.blocks.some((id) => isOpening(program, id))) continue;
    const inside = [...blocksInside(program, block.id, true)].map((id) => program.blocks[id]);
    if (!inside.some((each) => each?.kind === "work" && each.join === "later")) continue;
    const call = block.blocks.map((id) => program.blocks[id]).find((each) => each?.kind === "call");
    if (call?.kind === "call") return program.parts[call.part]?.name ?? call.part;
  }
  return undefined;
}

function isOpening({ blocks }: Program, id: string): boolean {
  const block = blocks[id];
  return block?.kind === "do" && block.what === "prompts_apart";
}
