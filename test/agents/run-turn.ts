import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentSpec } from "../../src/agents/agent-spec.ts";
import { AcpProvider } from "../../src/agents/acp/acp-provider.ts";
import { GroupRecords } from "../../src/host/group-records.ts";
import { systemAlarms } from "../../src/host/index.ts";
import { createChildren } from "../../src/host/start-child.ts";
import type { AgentEvent, AgentProvider, AgentResult, Alarms, Turn } from "../../src/ports/index.ts";

export const fakeAgent = join(import.meta.dirname, "fake-acp-agent.mjs");

const store = mkdtempSync(join(tmpdir(), "waymark-children-"));
process.once("exit", () => rmSync(store, { recursive: true, force: true }));
/** Of the real host, with a store of this process alone. */
export const children = createChildren(new GroupRecords(store, () => undefined));

interface FakeWish {
  /** Arguments of the fake agent. */
  readonly args?: readonly string[];
  readonly spec?: Partial<AgentSpec>;
  readonly alarms?: Alarms;
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The fake agent as a provider, on the real host. */
export function fakeProvider({
  args = [],
  spec = {},
  alarms = systemAlarms,
  workspace = import.meta.dirname,
  env = {},
}: FakeWish = {}): AcpProvider {
  return new AcpProvider({
    spec: {
      name: "fake",
      protocol: "acp",
      command: [process.execPath, fakeAgent, ...args],
      env: [],
      modes: {},
      usage: { tokens: "turn", cost: "session" },
      resume: "resume",
      textFilters: [],
      ...spec,
    },
    children,
    time: { alarms, now: () => Date.UTC(2026, 0, 1) },
    env: { PATH: process.env["PATH"] ?? "", ...env },
    version: "1.0.0",
    workspace,
  });
}

export interface Ran {
  readonly events: readonly AgentEvent[];
  readonly result: AgentResult;
}

/** Runs one turn to its end; `onEvent` hears each event as it comes. */
export async function runTurn(
  provider: AgentProvider,
  turn: Partial<Turn> & Pick<Turn, "cwd">,
  onEvent?: (event: AgentEvent) => void,
): Promise<Ran> {
  const events: AgentEvent[] = [];
  for await (const event of provider.run({ prompt: "Do it.", permission: { level: "read" }, ...turn })) {
    events.push(event);
    onEvent?.(event);
  }
  const result = events.at(-1);
  if (result?.type !== "result") throw new Error("The last event is not a result.");
  return { events, result };
}

/** The events of one type. */
export function ofType<T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}
