import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWaymarkError } from "../../base/index.ts";
import type { AgentInfo, AgentProbe, AgentResult, Agents } from "../../ports/index.ts";
import { exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { quoted } from "../printed-lines.ts";
import type { Session } from "../session.ts";

export async function agentsCommand({ session, args: [action, name, ...rest] }: Given): Promise<number> {
  if (action !== undefined && action !== "try") throw usage(`\`${action}\` is not an action of agents.`, "waymark agents try <agent>");
  if (action === "try" && (name === undefined || rest.length > 0)) throw usage("Name one agent to try.", "waymark agents try <agent>");
  const opened = await session.world.openAgents(session.flags);
  try {
    return name === undefined ? await listAgents(session, opened.agents) : await tryAgent(session, opened.agents, name);
  } finally {
    await opened.close();
  }
}

async function listAgents({ out }: Session, agents: Agents): Promise<number> {
  const found = await agents.list();
  const rows = await Promise.all(
    found.map(async (info) => ({ ...info, ...(info.found ? { probe: await probe(agents, info.name) } : {}) })),
  );
  out.document({ agents: rows });
  out.table(
    ["AGENT", "FROM", "PROTOCOL", "STATE", "MODES", "MODELS"],
    rows.map((row) => [row.name, row.from, row.protocol, stateOf(row), listed(row.probe?.modes), listed(row.probe?.models)]),
  );
  for (const { name, probe: held, problem = held?.problem } of rows) if (problem !== undefined) out.line(`${name}: ${problem}`);
  for (const { name, found: isThere, install, allowed } of rows) {
    if (!isThere && install !== undefined) out.hint(`→ ${name}: ${install}`);
    if (isThere && allowed === false) out.hint(`→ ${name}: waymark allow --agent ${quoted(name)}`);
  }
  return exitCodes.done;
}

/** An agent that cannot be started is listed with the reason. */
async function probe(agents: Agents, name: string): Promise<AgentProbe> {
  try {
    return await agents.probe(name);
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    return { answers: false, modes: [], models: [], problem: [error.message, error.fix].join(" ") };
  }
}

function stateOf({ found, tried, from, allowed, probe: held }: AgentInfo & { readonly probe?: AgentProbe }): string {
  const untried = from === "known" && !tried ? ", untried" : "";
  if (!found) return `not found${untried}`;
  if (allowed === false) return "not allowed";
  return `${held?.answers === true ? `answers${held.version === undefined ? "" : ` (${held.version})`}` : "does not answer"}${untried}`;
}

function listed(names: readonly string[] = []): string {
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 4).join(", ")} and ${names.length - 4} more`;
}

/** One small turn in an empty folder, in which the agent may only read. */
async function tryAgent({ out, world }: Session, agents: Agents, name: string): Promise<number> {
  const provider = await agents.open(name);
  const folder = await mkdtemp(join(tmpdir(), "waymark-try-"));
  let result: AgentResult | undefined;
  try {
    const turn = {
      prompt: "Answer with the single word: ready",
      cwd: folder,
      permission: { level: "read" },
      signal: world.stopSignal(),
    } as const;
    for await (const event of provider.run(turn)) {
      if (event.type === "message") out.line(event.text.trim());
      if (event.type === "notice") out.aside(event.text);
      if (event.type === "result") result = event;
    }
  } finally {
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
  out.document({ agent: name, result });
  const works = result?.stop === "end";
  out.line(
    works
      ? `${out.paint("green", "✓")} ${name} works.`
      : `${out.paint("red", "✗")} ${name} does not work: ${result?.error ?? result?.stop}`,
  );
  return works ? exitCodes.done : exitCodes.failed;
}
