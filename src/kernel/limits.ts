import type { Json } from "../base/index.ts";
import type { Block, Expr, Limit } from "../program/index.ts";
import { guardTime } from "./enter.ts";
import { failStrand } from "./failure.ts";
import type { Given, Need } from "./input.ts";
import type { Frame, Limits } from "./run-state.ts";
import { frontOf, localsOf, type Turn } from "./turn.ts";

const least: Readonly<Record<keyof Limits, number>> = { timeoutMs: 1, times: 0, parallel: 1 };

/** Whether limits of the frame's block are expressions that have not been evaluated yet. */
export function limitsOpen(turn: Turn, frame: Frame): boolean {
  return frame.kind !== "rescue" && frame.limits === undefined && limitsOf(turn.block(frame.block)).some(isExpr);
}

/** Evaluates the limits of a block that was just entered. Its time begins when they are known. */
export function readLimits(turn: Turn, strandId: string, frame: Frame, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  const exprs = limitExprs(block);
  if (given === undefined) {
    const { scope, frames } = turn.strand(strandId);
    return { type: "evaluate", strand: strandId, exprs, scope, locals: localsOf(frames), ...frontOf(frames) };
  }
  if (given.type === "error") return failStrand(turn, strandId, { code: given.code, message: given.message, block: block.id }) as undefined;
  const limits: Record<string, number> = {};
  for (const name of Object.keys(exprs) as (keyof Limits)[]) {
    const value = given.type === "values" ? given.values[name] : undefined;
    const number = numberOf(value);
    if (number === undefined || number < least[name]) {
      const message = `\`${block.id}\` needs a number of at least ${least[name]} for \`${name}\`, but its expression gave ${JSON.stringify(value ?? null).slice(0, 80)}.`;
      return failStrand(turn, strandId, { code: "LIMIT_VALUE", message, block: block.id }) as undefined;
    }
    limits[name] = name === "timeoutMs" ? number : Math.floor(number);
  }
  turn.emit({ type: "moved", strand: strandId, patch: { limits } });
  guardTime(turn, strandId, block);
  return undefined;
}

/** A template always gives text, so text that is a number counts as one. */
function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function limitExprs(block: Block): Record<string, Expr> {
  const [timeoutMs, times, parallel] = limitsOf(block);
  return Object.fromEntries(Object.entries({ timeoutMs, times, parallel }).filter((entry): entry is [string, Expr] => isExpr(entry[1])));
}

function limitsOf(block: Block): readonly [timeoutMs: Limit | undefined, times: Limit | undefined, parallel: Limit | undefined] {
  return [block.timeoutMs, block.rescue?.retry?.times, block.kind === "work" ? block.parallel : undefined];
}

function isExpr(limit: Limit | undefined): limit is Expr {
  return typeof limit === "object";
}
