import { refused, type EngineContext } from "../../../engine/index.ts";
import type { CommandOutcome } from "../../../ports/index.ts";
import { isModule } from "../../../state/index.ts";
import type { GraphNode, PromptsDefinition } from "../definition/index.ts";

const timeoutMs = 10_000;
const mostOutput = 4096;

type Program = "bash" | "bun" | "uv";

/** Options with which Node runs TypeScript, where it can. */
export const stripTypes = "--experimental-strip-types --no-warnings";

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

function look({ host }: EngineContext, command: string): Promise<CommandOutcome> {
  return host.commands.run({ command, shell: "bash", cwd: host.workspace, timeoutMs, keepBytes: mostOutput, own: true });
}

/** Those that are not installed. */
async function missingOf(engine: EngineContext, wanted: ReadonlySet<Program>): Promise<ReadonlySet<Program>> {
  if (wanted.size === 0) return new Set();
  const command = [...wanted].map((each) => `command -v ${each} >/dev/null 2>&1 || echo ${each}`).join("\n");
  const outcome = await look(engine, command);
  // With bash the last line always succeeds.
  if (outcome.exitCode !== 0) return new Set(["bash"]);
  const printed = outcome.stdout.text.split(/\s+/);
  return new Set([...wanted].filter((each) => printed.includes(each)));
}

/** Whether what is for `bun` is TypeScript: by the name of its file, or because its text cannot be read as JavaScript. */
export function hasTypes(code: string, file: string | undefined): boolean {
  return file === undefined ? !isModule(code) : file.endsWith(".ts");
}

/** Nodes with scripts in TypeScript, as people read them. */
function typedScripts(nodes: readonly GraphNode[]): readonly string[] {
  return nodes.flatMap(({ id, does }) => {
    if (does.kind === "group") return typedScripts(does.nodes);
    if (does.kind !== "script" || does.runtime !== "bun" || !hasTypes(does.code.text, does.file)) return [];
    return [does.file === undefined ? `\`${id}\`` : `\`${id}\` (${does.file.split("/").at(-1)})`];
  });
}

/** Exactly what Node is asked for when a script in TypeScript is run by it, which versions before 22.6 refuse. */
const probe = `printf 'import "node:fs"; const a: number = await 1' | node ${stripTypes} - >/dev/null 2>&1`;

/** Throws when a script is in TypeScript, and neither bun is installed nor a Node that runs it. */
async function requireTypes(nodes: readonly GraphNode[], engine: EngineContext): Promise<void> {
  const typed = typedScripts(nodes);
  if (typed.length === 0) return;
  const outcome = await look(engine, `command -v bun >/dev/null 2>&1 || ${probe}`);
  if (outcome.exitCode === 0) return;
  throw refused(
    "PROMPTS_NO_PROGRAM",
    `${typed.join(", ")} ${typed.length === 1 ? "is" : "are"} TypeScript (or not valid JavaScript), and neither \`bun\` nor Node 22.6 or newer is on your PATH to run it. Nothing was started.`,
    "Install `bun`, or Node 22.6 or newer, then start the workflow again.",
  );
}

/** Throws when a program that nothing else can replace is not installed. */
export async function requirePrograms({ nodes = [] }: PromptsDefinition, engine: EngineContext): Promise<void> {
  const wanted = new Set([...programsOf(nodes)].filter((each) => each !== "bun"));
  const [missing] = await missingOf(engine, wanted);
  if (missing === undefined) return requireTypes(nodes, engine);
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
