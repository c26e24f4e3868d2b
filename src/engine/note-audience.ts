import { isList, isObject, nearest } from "../base/index.ts";
import { mainScope, taskName } from "../kernel/index.ts";
import type { Block, Expr, Program } from "../program/index.ts";
import { refused } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

const mostShown = 20;

interface Named {
  readonly names: readonly string[];
  /** Further names come while the run works. */
  readonly open?: true;
}

/**
 * Whether a step or a task that a note can wait for has this name already. Refuses a name that nothing of the run can ever have; where names
 * come while it runs, every other one is possible. A dialect that knows its own names is asked instead.
 */
export async function isKnownAudience(context: EngineContext, handle: RunHandle, target: string): Promise<boolean> {
  const { program, state } = handle;
  const runtime = context.leaves.runtimeOf(handle);
  if (runtime?.checkAudience !== undefined) {
    await runtime.checkAudience(context.leaves.at(context, handle, mainScope), target);
    return true;
  }
  const named = Object.values(program.blocks).map(namesOf);
  const names = new Set(named.flatMap((each) => each.names).flatMap((name) => [name, ...(/^([^:]+):/.exec(name)?.slice(1) ?? [])]));
  for (const strand of Object.values(state.strands)) if (strand.task !== undefined) names.add(strand.task).add(taskName(strand));
  if (names.has(target) || (await isItem(context, handle, target))) return true;
  if (named.some(({ open }) => open === true)) return false;
  throw unknownAudience(program, target, [...names]);
}

/** What a note may name to be delivered in a block: a step of an agent, a task or item, a state, or the label around a step. */
function namesOf(block: Block): Named {
  const label = block.label === undefined ? [] : [block.label.text];
  if (block.kind === "machine") return { names: [...label, ...Object.keys(block.states)] };
  if (block.kind === "do") {
    if (block.who !== "agent" && block.orAgent !== true) return { names: label };
    const name = block.name === undefined ? block.id : fixedText(block.name);
    return name === undefined ? { names: label, open: true } : { names: [...label, name] };
  }
  if (block.kind !== "work") return { names: label };
  const step = block.task === undefined ? [] : [block.id];
  const items = block.fill === undefined ? undefined : fixedItems(block.id, block.fill);
  return items === undefined ? { names: [...label, ...step], open: true } : { names: [...label, ...step, ...items] };
}

function fixedText(name: Expr): string | undefined {
  return name.as !== "filled" && typeof name.of === "string" && !name.of.includes("{{") ? name.of : undefined;
}

/** Ids of the items of a list that the workflow itself names. */
function fixedItems(block: string, { as, of }: Expr): readonly string[] | undefined {
  if (as !== "value" || !isList(of)) return undefined;
  const own = of.map((item) => (isObject(item) ? item["id"] : undefined));
  const ids = own.every((id) => typeof id === "string") ? own : of.map((_, at) => `${block}.${at}`);
  return ids.some((id) => id.includes("{{")) ? undefined : ids;
}

async function isItem({ store }: EngineContext, { id: run }: RunHandle, target: string): Promise<boolean> {
  for (const list of await store.itemLists(run)) if ((await store.readItem(run, list, target)) !== undefined) return true;
  return false;
}

function unknownAudience({ name }: Program, target: string, known: readonly string[]): Error {
  const shown = known.filter((each) => /^[\w./:@-]+$/.test(each));
  const near = nearest(target.slice(0, 60), shown, 1).map((each) => ` Did you mean \`${each}\`?`);
  const more = shown.length > mostShown ? ` and ${shown.length - mostShown} more` : "";
  const listed = shown.length === 0 ? "Name nothing" : `Name one of ${shown.slice(0, mostShown).join(", ")}${more}, or nothing`;
  return refused(
    "ENGINE_BAD_VALUE",
    `\`${name}\` has no step, task or node \`${target.slice(0, 60)}\` with which an agent could read a note. Nothing was changed.${near.join("")}`,
    `${listed} for the next step.`,
  );
}
