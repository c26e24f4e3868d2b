import { own, type JsonObject } from "../base/index.ts";
import type { Action } from "../kernel/index.ts";
import type { Expr, Program } from "../program/index.ts";
import { couldBe } from "../state/index.ts";
import { notAsPinned } from "./codes.ts";
import type { RunHandle } from "./run-cache.ts";

type Open = Pick<Action, "block" | "what" | "step" | "args">;

/**
 * Throws ENGINE_NOT_AS_PINNED for an open effect or action that its block cannot have opened: permissions are for blocks, and what is done is what
 * the journal says. What holes are filled with is not judged, but that it is quoted in a command.
 */
export function requireAsPinned({ id, program }: Pick<RunHandle, "id" | "program">, open: Open): void {
  const wrong = differenceOf(program, open);
  if (wrong !== undefined) throw notAsPinned(id, open.step, wrong);
}

function differenceOf({ blocks }: Program, { block: id, what, args }: Open): string | undefined {
  const block = blocks[id];
  if (block?.kind === "work" && block.task !== undefined && what === "parallel_tasks") {
    const { name, prompt } = block.task;
    return args["task"] === name && args["prompt"] === prompt ? undefined : "what its tasks are";
  }
  return block?.kind === "do" && block.what === what ? differentArgument(block.args, args) : "what is done";
}

function differentArgument(written: Readonly<Record<string, Expr>>, args: JsonObject): string | undefined {
  const name = [...new Set([...Object.keys(written), ...Object.keys(args)])].find((each) => {
    const [expr, value] = [own(written, each), own(args, each)];
    return expr === undefined || value === undefined || !couldBe(expr, value);
  });
  return name === undefined ? undefined : `its argument \`${name}\``;
}
