import { defined, type Json } from "../base/index.ts";
import { mainStrand, type RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import { handOutName, type LeafWords, type OpenLeaf } from "./hand-out-name.ts";
import { itemAround } from "./item-around.ts";
import type { AgentUse, LiveAgent, LiveFacts } from "./live-block.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { decideCommand, openQuestions, runLine, standingOf, taskAround } from "./standing.ts";
import { isOwnHandOut, standingText } from "./standing-text.ts";

/** What the agent of a strand does in its turn. */
export interface AgentAt extends Pick<LiveAgent, "agent" | "doing" | "since"> {
  readonly action: string;
  /** Id of the tool call that it waits for. */
  readonly tool?: string;
  /** What the turn has used so far. */
  readonly turn: AgentUse;
}

/** What agents do now, by strand, and what the turns that are over have used. */
export interface AgentActivity {
  readonly strands: Readonly<Record<string, AgentAt>>;
  readonly used: AgentUse;
}

/** What agents and people know of a step by itself. */
const noWords: LeafWords = { called: () => undefined, kind: () => undefined };

/** What is shown of a run while it is watched. Nobody works on strands that are `gone`. An action without a transcript is shown with the holder of its strand. */
export function liveFacts(
  { id, program, state }: { readonly id: string; readonly program: Program; readonly state: RunState },
  activity: AgentActivity,
  gone: ReadonlySet<string> = new Set(),
  words: LeafWords = noWords,
): LiveFacts {
  const name = (leaf: OpenLeaf): string => handOutName({ program, state }, leaf, words);
  const kind = (leaf: OpenLeaf): string => words.kind({ program, state }, leaf) ?? leaf.what;
  const { label, done, total, counts } = runLine(state, program);
  const masked = <T extends Json>(texts: T): T => maskSecrets(texts, program, state);
  return {
    run: id,
    workflow: state.workflow,
    status: state.status,
    standing: masked(placeOf({ program, state }, (leaf) => `${name(leaf)} (${kind(leaf)})`)),
    ...masked(defined({ label })),
    done,
    total,
    ...defined({ counts }),
    agents: agentsOf({ program, state }, activity, gone, name).map(({ since, ...texts }) => ({ ...masked(texts), since })),
    used: usedIn(activity),
    questions: openQuestions(state).map((asked) => ({ text: masked(asked.question), command: decideCommand(id, asked) })),
    startedAt: state.startedAt,
  };
}

function placeOf({ program, state }: { readonly program: Program; readonly state: RunState }, shown: (leaf: OpenLeaf) => string): string {
  const standing = standingOf(state, mainStrand, program);
  if (standing.kind === "action" && !isOwnHandOut(standing)) return shown(standing.action);
  if (standing.kind === "ended") return state.status;
  if (standing.kind !== "question") return standingText(standing);
  const { kind, step } = standing.decision;
  return `${kind === "budget" ? "the budget" : step} waits for an answer`;
}

/** What all turns have used, those included that are not over. */
export function usedIn({ strands, used }: AgentActivity): AgentUse {
  const turns = [used, ...Object.values(strands).map(({ turn }) => turn)];
  return turns.reduce(addUse);
}

/** What nobody says stays unknown. */
export function addUse(one: AgentUse, other: AgentUse): AgentUse {
  const sum = (of: keyof AgentUse): number | undefined =>
    one[of] === undefined && other[of] === undefined ? undefined : (one[of] ?? 0) + (other[of] ?? 0);
  return defined({ tokens: sum("tokens"), costUsd: sum("costUsd") });
}

function agentsOf(
  { program, state }: { readonly program: Program; readonly state: RunState },
  { strands }: AgentActivity,
  gone: ReadonlySet<string>,
  name: (leaf: OpenLeaf) => string,
): readonly LiveAgent[] {
  const agents = Object.values(state.strands).flatMap(({ id, waits, holder }): LiveAgent[] => {
    const action = waits?.on === "action" ? state.actions[waits.id] : undefined;
    const at = strands[id];
    if (action === undefined || gone.has(id)) return [];
    const task = itemAround({ program, state }, id) ?? taskAround(state, id);
    const worker = holder?.number;
    if (at !== undefined && at.action === action.id)
      return [{ agent: at.agent, step: name(action), since: at.since, ...defined({ worker, task, doing: at.doing }) }];
    // Which agent a worker is about to start is not known before it does.
    if (holder === undefined || holder.kind === "worker") return [];
    return [{ agent: holder.name, step: name(action), since: action.openedAt, ...defined({ worker, task }) }];
  });
  return agents.toSorted((a, b) => (a.worker ?? 0) - (b.worker ?? 0));
}
