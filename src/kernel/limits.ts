import type { Json } from "../base/index.ts";
import type { Block, Expr, Limit } from "../program/index.ts";
import { guardTime } from "./enter.ts";
import { failStrand } from "./failure.ts";
import type { Frame, Limits } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import type { Turn } from "./turn.ts";

const least: Readonly<Record<keyof Limits, number>> = { timeoutMs: 1, times: 0, parallel: 1 };

/** Whether limits of the frame's block are expressions that have not been evaluated yet. */
export function limitsOpen(turn: Turn, frame: Frame): boolean {
  if (frame.kind === "rescue" || frame.limits !== undefined) return false;
  const { timeoutMs, times, parallel } = limitsOf(turn.block(frame.block));
  return isExpr(timeoutMs) || isExpr(times) || isExpr(parallel);
}

/** Evaluates the limits of a block that was just entered. Its time begins when they are known. */
export function readLimits(turn: Turn, strand: string, frame: Frame, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  const exprs = Object.entries(limitsOf(block)).filter((entry): entry is [string, Expr] => isExpr(entry[1]));
  if (given === undefined) return turn.evaluate(strand, Object.fromEntries(exprs));
  const limits: Record<string, number> = {};
  for (const [name] of exprs as [keyof Limits, Expr][]) {
    const value = given.type === "values" ? given.values[name] : undefined;
    const number = numberOf(value);
    if (number === undefined || number < least[name]) {
      const message = `\`${block.id}\` needs a number of at least ${least[name]} for \`${name}\`, but its expression gave ${JSON.stringify(value ?? null).slice(0, 80)}.`;
      return failStrand(turn, strand, { code: "LIMIT_VALUE", message, block: block.id });
    }
    limits[name] = name === "timeoutMs" ? number : Math.floor(number);
  }
  turn.move(strand, { limits });
  guardTime(turn, strand, block);
}

/** A template always gives text, so text that is a number counts as one. */
function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function limitsOf(block: Block): Readonly<Record<keyof Limits, Limit | undefined>> {
  const parallel = block.kind === "work" ? block.parallel : undefined;
  return { timeoutMs: block.timeoutMs, times: block.rescue?.retry?.times, parallel };
}

function isExpr(limit: Limit | undefined): limit is Expr {
  return typeof limit === "object";
}
