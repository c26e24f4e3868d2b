import { isList, splitPath, textOf, type Json } from "../base/index.ts";
import type { Expr, Rescue, Write } from "../program/index.ts";
import { enter, leaveFrame, leaveTo } from "./enter-leave.ts";
import { failRun, searchRescue } from "./failure.ts";
import type { RescueFrame } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import { holdsLost } from "./interrupted-leaf.ts";
import type { Turn } from "./turn.ts";
import { targetOf } from "./write-state.ts";

/** The rescue's own writes, then its body, then what was promised for afterwards. */
export function walkRescue(turn: Turn, strand: string, frame: RescueFrame, given: Given | undefined): Need | undefined {
  const rescue = rescueOf(turn, frame);
  const { writes = [] } = rescue;
  if (given?.type === "error") {
    turn.emit({ type: "warned", code: given.code, message: given.message, strand, block: frame.block });
    return turn.move(strand, { phase: "body" });
  }
  if (frame.phase === "writes") {
    if (writes.length > 0 && given === undefined) return turn.evaluate(strand, writeExprs(writes));
    if (given?.type === "values") writeErrors(turn, strand, writes, given.values);
    return turn.move(strand, { phase: "body" });
  }
  if (frame.phase === "end") return finishRescue(turn, strand, frame, rescue);
  turn.move(strand, { phase: "end" });
  if (rescue.body !== undefined) enter(turn, strand, rescue.body);
}

function rescueOf(turn: Turn, frame: RescueFrame): Rescue {
  if (frame.of >= 0) return turn.block(frame.block).rescue ?? { then: "fail" };
  const body = turn.mainPart().onFailure?.body;
  return { then: "body", after: "fail", ...(body === undefined ? {} : { body }) };
}

function finishRescue(turn: Turn, strand: string, { of, error, elsewhere }: RescueFrame, rescue: Rescue): undefined {
  leaveFrame(turn, strand, "done");
  if (of < 0) return failRun(turn, strand, error, elsewhere !== true);
  if (rescue.then === "body" && (rescue.after ?? "fail") === "fail") return searchRescue(turn, strand, error, of - 1);
  const lost = error.lost === true || turn.strand(strand).frames.slice(of).some(holdsLost);
  leaveTo(turn, strand, of + 1, { how: "failed", reason: error.message });
  if (lost) turn.move(strand, { lost: true });
  if (rescue.then === "value" && turn.top(strand)?.kind === "do")
    return turn.move(strand, { phase: "writes", ref: null, result: rescue.value ?? null, rescued: true });
  leaveFrame(turn, strand, "failed", error.message);
}

function writeExprs(writes: readonly Write[]): Record<string, Expr> {
  const exprs: Record<string, Expr> = {};
  for (const [index, { path, value }] of writes.entries()) {
    exprs[`path:${index}`] = path;
    if (value !== undefined) exprs[`value:${index}`] = value;
  }
  return exprs;
}

function writeErrors(turn: Turn, strand: string, writes: readonly Write[], values: Readonly<Record<string, Json>>): void {
  for (const [index, { op, value }] of writes.entries()) {
    const path = values[`path:${index}`];
    const target = targetOf(isList(path) ? path.map(textOf) : (splitPath(textOf(path)) ?? []));
    const written = value === undefined ? true : (values[`value:${index}`] ?? null);
    const problem = target.ok ? turn.write(turn.strand(strand).scope, [{ ...target.value, op, value: written }]) : target.message;
    if (problem !== undefined) turn.emit({ type: "warned", code: "STATE_WRITE", message: problem, strand });
  }
}
