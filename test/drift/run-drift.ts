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

/** Every kind of misbehaviour with every seed. Answers whether all of it held. */
export async function runDrift(options: DriftOptions): Promise<boolean> {
  const { seeds, from = 0, kinds = Object.keys(misbehaviours), mostFiles = 60, surface, lanes, say } = options;
  const spent: Spent = { replies: 0, tokens: 0, most: 0 };
  const agent: DriftCase["agent"] = async (engine) => (surface === "mcp" ? mcpSurface(engine, spent) : engineSurface(engine));
  const ends: DriftEnd[] = [];
  for (const kind of kinds) {
    const begun = performance.now();
    const before = spent.tokens;
    const done = await inLanes(
      Array.from({ length: seeds }, (_, at) => ({ kind, seed: from + at, mostFiles, agent })),
      lanes,
    );
    ends.push(...done);
    const tokens = surface === "mcp" ? `, ${spent.tokens - before} tokens` : "";
    say(`${kind}: ${sums(done)}${tokens}, ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    for (const { seed, workflow, complaints } of done)
      for (const complaint of complaints.slice(0, 5)) say(`  seed ${seed}, ${workflow}: ${complaint}`);
  }
  say(`${ends.length} runs over ${surface === "mcp" ? "MCP" : "the engine's commands"}: ${sums(ends)}`);
  if (surface === "mcp")
    say(
      `tokens of replies (o200k_base, larger part): ${spent.tokens} in ${spent.replies}, ${Math.round(spent.tokens / spent.replies)} each, at most ${spent.most}`,
    );
  say(`refused: ${refusalsOf(ends)}`);
  return ends.every((end) => end.complaints.length === 0 && end.accounted === end.files) && ends.length === kinds.length * seeds;
}

function refusalsOf(ends: readonly DriftEnd[]): string {
  const refusals = new Map<string, number>();
  for (const end of ends) for (const [name, count] of end.refusals) refusals.set(name, (refusals.get(name) ?? 0) + count);
  const lines = [...refusals].toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`);
  return lines.join(", ");
}

function sums(ends: readonly DriftEnd[]): string {
  const sum = (of: (end: DriftEnd) => number): number => ends.reduce((total, end) => total + of(end), 0);
  const blocked = ends.filter((end) => end.blocked !== undefined);
  const held = ends.filter((end) => end.blocked === undefined);
  const accounted = held.reduce((total, end) => total + end.accounted, 0);
  const files = held.reduce((total, end) => total + end.files, 0);
  return (
    `${sum((end) => end.files)} files, ${accounted} of ${files} accounted for, ${blocked.length} runs honestly blocked (${sum((end) => end.files) - files} files), ` +
    `${sum((end) => end.steps)} steps, ${sum((end) => end.misdeeds)} misdeeds, ` +
    `${sum((end) => [...end.refusals.values()].reduce((a, b) => a + b, 0))} refusals, ${sum((end) => end.complaints.length)} complaints`
  );
}

async function inLanes(cases: DriftCase[], lanes: number): Promise<DriftEnd[]> {
  const ends: DriftEnd[] = [];
  const left = [...cases];
  const lane = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) ends.push(await tried(each));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return ends.toSorted((a, b) => a.seed - b.seed);
}

/** What throws out of a run is a complaint like any other. */
async function tried(each: DriftCase): Promise<DriftEnd> {
  try {
    return await driftCase(each);
  } catch (error) {
    const complaint = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...each, workflow: "", files: 0, accounted: 0, steps: 0, misdeeds: 0, refusals: new Map(), complaints: [complaint] };
  }
}
