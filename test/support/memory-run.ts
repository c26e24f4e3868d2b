import {
  apply,
  emptyState,
  readyStrands,
  transition,
  wholeList,
  type Event,
  type Given,
  type Input,
  type Need,
  type Rejected,
  type RunState,
} from "../../src/kernel/index.ts";
import type { Item, Program } from "../../src/program/index.ts";
import type { Json } from "../../src/base/index.ts";

const person = { kind: "person" as const, name: "ada", session: "t", surface: "cli-terminal" };
export const holder = { kind: "agent" as const, name: "tester", session: "s1" };
export const agent = { ...holder, surface: "test" };

/** Distributes over the members of the union. */
type Plain<T> = T extends unknown ? Omit<T, "at" | "by"> : never;

/** A run on the kernel alone: needs are answered by a function, items lie in a map, and every step is checked against replay. */
export class MemoryRun {
  readonly program: Program;
  readonly evaluate: (need: Extract<Need, { type: "evaluate" }>, state: RunState) => Readonly<Record<string, Json>> | Error;
  readonly events: Event[] = [];
  readonly items = new Map<string, Item>();
  readonly journal: { readonly input: Input; readonly events: readonly Event[] }[] = [];
  state: RunState = emptyState;
  clock = 1_000;

  constructor(program: Program, evaluate: MemoryRun["evaluate"]) {
    this.program = program;
    this.evaluate = evaluate;
  }

  start(options: { serial?: boolean; unable?: string[]; budget?: { steps?: number } } = {}): void {
    this.input({
      type: "start",
      id: "wf-test",
      program: "hash",
      inputs: {},
      defaults: { raw: {}, state: {}, fixed: {} },
      options: { serial: options.serial ?? false, unable: options.unable ?? ["mcp"] },
      ...(options.budget === undefined ? {} : { budget: options.budget }),
    });
    this.input({ type: "claim", strand: "main", holder });
  }

  input(plain: Plain<Input>, by: Input["by"] = agent): Rejected | undefined {
    this.clock += 1;
    const input = { ...plain, at: this.clock, by } as Input;
    const decided = transition(this.program, this.state, input);
    if ("rejected" in decided) return decided.rejected;
    this.#take(input, decided.events, decided.state);
    this.#walk();
    return undefined;
  }

  answer(decision: string, answer: Json, options: { relayed?: boolean; valid?: boolean; revision?: number } = {}): Rejected | undefined {
    const relayed = options.relayed ?? false;
    return this.input(
      {
        type: "answer",
        decision,
        revision: options.revision ?? this.state.decisions[decision]?.revision ?? 1,
        answer,
        valid: options.valid ?? true,
        relayed,
      },
      relayed ? agent : person,
    );
  }

  report(action: string, value: Json = null, as = holder): Rejected | undefined {
    const strand = this.state.actions[action]?.strand ?? "main";
    return this.input({
      type: "report",
      action,
      holder: as,
      fence: this.state.strands[strand]?.fence ?? 0,
      outcome: { ok: true, value },
      write: true,
    });
  }

  /** Steps of the open actions, in order of opening. */
  open(): string[] {
    return Object.values(this.state.actions).map((action) => action.step);
  }

  /** Ids that the item depends on and that are not settled, by the rows as they are. */
  openDependencies({ list, dependsOn = [] }: Item): string[] {
    const open = (id: string): boolean => ["pending", "in_progress", undefined].includes(this.items.get(`${list}/${id}`)?.status);
    return [...new Set(dependsOn)].filter(open);
  }

  #statusesAbove({ list, dependsOn = [] }: Item): Record<string, string> {
    return Object.fromEntries(dependsOn.map((id) => [id, this.items.get(`${list}/${id}`)?.status ?? "pending"]));
  }

  #take(input: Input, events: readonly Event[], state: RunState): void {
    this.journal.push({ input, events });
    this.events.push(...events);
    for (const event of events) this.#project(event);
    this.state = state;
  }

  #walk(): void {
    for (let rounds = 0; rounds < 20_000; rounds += 1) {
      const [strand] = readyStrands(this.state);
      if (strand === undefined) return;
      let given: Given | undefined;
      for (;;) {
        const input: Input = { type: "advance", strand, at: this.clock, by: agent, ...(given === undefined ? {} : { given }) };
        const decided = transition(this.program, this.state, input);
        if ("rejected" in decided) throw new Error(decided.rejected.message);
        this.#take(input, decided.events, decided.state);
        if (decided.need === undefined) break;
        given = this.#give(decided.need);
      }
    }
    throw new Error("The run does not come to rest.");
  }

  #give(need: Need): Given {
    switch (need.type) {
      case "evaluate": {
        const values = this.evaluate(need, this.state);
        return values instanceof Error ? { type: "error", code: "EXPRESSION_FAILED", message: values.message } : { type: "values", values };
      }
      case "select": {
        const items = [...this.items.values()].filter(
          (item) =>
            item.list === need.list &&
            item.status === "pending" &&
            item.waitsFor === 0 &&
            !need.notRoots.includes(item.root) &&
            (need.query.parent === undefined || (item.parent ?? null) === need.query.parent) &&
            Object.entries(need.query.facets ?? {}).every(([facet, of]) => item.facets[facet] === of),
        );
        const chosen = items.sort((a, b) => (a.order < b.order ? -1 : 1)).slice(0, need.limit);
        const above = chosen.filter(({ dependsOn = [] }) => dependsOn.length > 0).map((item) => [item.id, this.#statusesAbove(item)]);
        return { type: "items", items: chosen, ...(above.length === 0 ? {} : { above: Object.fromEntries(above) }) };
      }
      case "rows":
        return { type: "items", items: need.ids.flatMap((id) => this.items.get(`${need.list}/${id}`) ?? []) };
      case "dependants": {
        const counted = (item: Item): boolean => item.dependsOn === undefined || item.waitsFor === this.openDependencies(item).length;
        const rows = [...this.items.values()].filter(
          (item) => item.list === need.list && (need.id === wholeList ? !counted(item) : item.dependsOn?.includes(need.id)),
        );
        return {
          type: "dependants",
          ids: rows.map((item) => item.id),
          waits: rows.map((item) => this.openDependencies(item).length),
          statuses: rows.map((item) => item.status),
        };
      }
      case "defaults":
        return { type: "scope", raw: {}, state: {}, fixed: {} };
    }
  }

  #project(event: Event): void {
    if (event.type === "items_added") for (const item of event.items) this.items.set(`${item.list}/${item.id}`, item);
    if (event.type === "item_moved") {
      const key = `${event.move.list}/${event.move.id}`;
      const item = this.items.get(key);
      const { to, attempts, reason, data, newFacets } = event.move;
      if (item !== undefined)
        this.items.set(key, {
          ...item,
          status: to,
          attempts: attempts ?? item.attempts,
          data: data ?? item.data,
          facets: newFacets ?? item.facets,
          ...(typeof reason === "string" ? { reason } : {}),
        });
    }
    if (event.type === "dependency_settled" || event.type === "dependency_reopened") {
      for (const [index, id] of event.ids.entries()) {
        const item = this.items.get(`${event.list}/${id}`);
        if (item !== undefined)
          this.items.set(`${event.list}/${id}`, { ...item, waitsFor: event.waits?.[index] ?? Math.max(0, item.waitsFor - 1) });
      }
    }
    if (event.type === "items_swept") {
      for (const [key, item] of this.items)
        if (item.list === event.list && item.status === event.from) this.items.set(key, { ...item, status: event.to });
    }
  }
}

/** The state that `apply` alone builds from the events, after they went through JSON. */
export function replay(events: readonly Event[]): RunState {
  let state = emptyState;
  for (const event of JSON.parse(JSON.stringify(events)) as Event[]) state = apply(state, event);
  return state;
}
