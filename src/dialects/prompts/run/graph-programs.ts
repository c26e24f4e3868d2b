import { refused, type EngineContext } from "../../../engine/index.ts";
import type { GraphNode, PromptsDefinition } from "../definition/index.ts";

const timeoutMs = 10_000;
const mostOutput = 4096;

type Program = "bash" | "bun" | "uv";

/** What nodes are run by. Scripts are started from a shell too. */
export function programsOf(nodes: readonly GraphNode[]): ReadonlySet<Program> {
  return new Set(
    nodes.flatMap(({ does }): readonly Program[] => {
      if (does.kind === "shell") return ["bash"];
      if (does.kind === "script") return ["bash", does.runtime];
      const inner = does.kind === "group" ? [...programsOf(does.nodes)] : [];
      const ends = does.kind === "group" || does.kind === "loop" ? does.untilBash : undefined;
      return ends === undefined ? inner : ["bash", ...inner];
    }),
  );
}

/** Those that are not installed. */
async function missingOf({ host }: EngineContext, wanted: ReadonlySet<Program>): Promise<ReadonlySet<Program>> {
  if (wanted.size === 0) return new Set();
  const command = [...wanted].map((each) => `command -v ${each} >/dev/null 2>&1 || echo ${each}`).join("\n");
  const outcome = await host.commands.run({ command, shell: "bash", cwd: host.workspace, timeoutMs, keepBytes: mostOutput, own: true });
  // With bash the last line always succeeds.
  if (outcome.exitCode !== 0) return new Set(["bash"]);
  const printed = outcome.stdout.text.split(/\s+/);
  return new Set([...wanted].filter((each) => printed.includes(each)));
}

/** Throws when a program that nothing else can replace is not installed. */
export async function requirePrograms({ nodes = [] }: PromptsDefinition, engine: EngineContext): Promise<void> {
  const wanted = new Set([...programsOf(nodes)].filter((each) => each !== "bun"));
  const [missing] = await missingOf(engine, wanted);
  if (missing === undefined) return;
  const what = missing === "bash" ? "its commands and scripts" : "its Python scripts";
  throw refused(
    "PROMPTS_NO_PROGRAM",
    `This workflow needs \`${missing}\` for ${what}, and it is not on your PATH. Nothing was started.`,
    `Install \`${missing}\`, then start the workflow again.`,
  );
}

/** Whether scripts for `bun` are run by Node here. */
export async function runsNodeInstead(engine: EngineContext): Promise<boolean> {
  return (await missingOf(engine, new Set<Program>(["bun"]))).size > 0;
}
