import { driftCase, type DriftCase, type DriftEnd } from "./drift-case.ts";
import { engineSurface } from "./engine-surface.ts";
import { mcpSurface, type Spent } from "./mcp-surface.ts";
import { misbehaviours } from "./misbehave.ts";

export interface DriftOptions {
  readonly seeds: number;
  readonly from?: number;
  readonly kinds?: readonly string[];
  readonly mostFiles?: number;
  /** What agents talk to: the tools, or the commands below them. */
  readonly surface: "mcp" | "engine";
  /** Runs at the same time. */
  readonly lanes: number;
  readonly say: (line: string) => void;
}

/** A run with what its replies cost. */
interface Tried extends DriftEnd {
  readonly spent: Spent;
}

/** Every kind of misbehaviour with every seed. Answers whether all of it held. */
export async function runDrift(options: DriftOptions): Promise<boolean> {
  const { seeds, from = 0, kinds = Object.keys(misbehaviours), mostFiles = 60, surface, lanes, say } = options;
  const cases = kinds.flatMap((kind) => Array.from({ length: seeds }, (_, at) => ({ kind, seed: from + at, mostFiles })));
  const ends: Tried[] = [];
  const left = [...cases];
  const lane = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      ends.push(await tried(each, surface));
      const { kind } = each;
      const done = ends.filter((end) => end.kind === kind);
      if (done.length === seeds) tell(kind, done, options);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  say(`${ends.length} runs over ${surface === "mcp" ? "MCP" : "the engine's commands"}: ${sums(ends)}`);
  if (surface === "mcp") say(`tokens of replies (o200k_base, larger part): ${tokensOf(ends)}`);
  say(`refused: ${refusalsOf(ends)}`);
  return ends.every((end) => end.complaints.length === 0 && end.accounted === end.files) && ends.length === kinds.length * seeds;
}

function tell(kind: string, ends: readonly Tried[], { surface, say }: DriftOptions): void {
  say(`${kind}: ${sums(ends)}${surface === "mcp" ? `; tokens ${tokensOf(ends)}` : ""}`);
  for (const { seed, workflow, complaints } of ends.toSorted((a, b) => a.seed - b.seed))
    for (const complaint of complaints.slice(0, 5)) say(`  seed ${seed}, ${workflow}: ${complaint}`);
}

/** What throws out of a run is a complaint like any other. */
async function tried(each: Omit<DriftCase, "agent">, surface: DriftOptions["surface"]): Promise<Tried> {
  const spent: Spent = { replies: 0, tokens: 0, most: 0 };
  try {
    const agent: DriftCase["agent"] = async (engine) => (surface === "mcp" ? mcpSurface(engine, spent) : engineSurface(engine));
    return { ...(await driftCase({ ...each, agent })), spent };
  } catch (error) {
    const complaint = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const nothing = { workflow: "", files: 0, accounted: 0, steps: 0, misdeeds: 0, refusals: new Map<string, number>() };
    return { ...each, ...nothing, complaints: [complaint], spent };
  }
}

function sums(ends: readonly DriftEnd[]): string {
  const sum = (of: (end: DriftEnd) => number): number => ends.reduce((total, end) => total + of(end), 0);
  const blocked = ends.filter((end) => end.blocked !== undefined);
  const waiting = blocked.reduce((total, end) => total + end.files, 0);
  const files = sum((end) => end.files);
  const accounted = sum((end) => (end.blocked === undefined ? end.accounted : 0));
  return (
    `${files} files, ${accounted} of ${files - waiting} accounted for, ${blocked.length} runs honestly blocked (${waiting} files), ` +
    `${sum((end) => end.steps)} steps, ${sum((end) => end.misdeeds)} misdeeds, ` +
    `${sum((end) => [...end.refusals.values()].reduce((a, b) => a + b, 0))} refusals, ${sum((end) => end.complaints.length)} complaints`
  );
}

function tokensOf(ends: readonly Tried[]): string {
  const tokens = ends.reduce((sum, { spent }) => sum + spent.tokens, 0);
  const replies = ends.reduce((sum, { spent }) => sum + spent.replies, 0);
  return `${tokens} in ${replies} replies, ${Math.round(tokens / replies)} each, at most ${Math.max(...ends.map(({ spent }) => spent.most))}`;
}

function refusalsOf(ends: readonly DriftEnd[]): string {
  const refusals = new Map<string, number>();
  for (const end of ends) for (const [name, count] of end.refusals) refusals.set(name, (refusals.get(name) ?? 0) + count);
  const lines = [...refusals].toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`);
  return lines.join(", ");
}
