import { isObject, jsonOrText, own, type Json, type JsonObject } from "../base/index.ts";
import { badValue, didYouMean } from "./codes.ts";
import type { EngineContext } from "../engine/index.ts";
import type { Session } from "./session.ts";

/** `key=value`, split at the first equals sign. */
export function keyValue(text: string, option: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw badValue(`\`${option} ${text}\` is not of the form \`key=value\`.`, `Write \`${option} name=value\`.`);
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}

/** Texts between commas, without those that are empty. */
export function commaList(text: string): readonly string[] {
  return text.split(",").flatMap((part) => part.trim() || []);
}

const budgetKinds = ["steps", "minutes", "tokens", "money"] as const;
type Budget = Partial<Record<(typeof budgetKinds)[number], number>>;

/** `steps=10,minutes=5`. */
export function parseBudget(text: string): Budget {
  const budget: Budget = {};
  for (const part of commaList(text)) {
    const [name, value] = keyValue(part, "--budget");
    const kind = budgetKinds.find((known) => known === name);
    if (kind === undefined) {
      throw badValue(`\`${name}\` is not a budget.${didYouMean(name, budgetKinds)}`, `Budgets are ${budgetKinds.join(", ")}.`);
    }
    const amount = Number(value);
    const whole = kind === "steps" || kind === "tokens";
    if (value.trim() === "" || !Number.isFinite(amount) || amount <= 0 || (whole && !Number.isInteger(amount))) {
      throw badValue(
        `The budget \`${kind}\` must be a ${whole ? "whole " : ""}number above 0, not \`${value}\`.`,
        "Write for example `--budget steps=10,minutes=5`.",
      );
    }
    budget[kind] = amount;
  }
  if (Object.keys(budget).length === 0) throw badValue("`--budget` names no limit.", "Write for example `--budget steps=10,minutes=5`.");
  return budget;
}

/** The options that limit a driven run, each with what it limits. */
export const budgetOptions = { budgetUsd: "money", budgetTokens: "tokens", maxMinutes: "minutes" } as const;

/** `--budget-usd 5 --budget-tokens 20000 --max-minutes 480`. */
export function parseDriveBudget(options: Readonly<Record<string, unknown>>): Budget {
  const given = Object.entries(budgetOptions).flatMap(([option, kind]) => {
    const text = options[option];
    return typeof text === "string" ? [[kind, parseAmount(text, flagOf(option), kind === "tokens")] as const] : [];
  });
  return Object.fromEntries(given);
}

function parseAmount(text: string, flag: string, whole: boolean): number {
  const amount = Number(text);
  if (text.trim() !== "" && Number.isFinite(amount) && amount > 0 && (!whole || Number.isInteger(amount))) return amount;
  throw badValue(
    `\`${flag} ${text}\` is not a ${whole ? "whole " : ""}number above 0.`,
    `Write for example \`${flag} ${whole ? 200_000 : 5}\`.`,
  );
}

/** An option as it is typed, from its name in code. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `30d`, `12h`, `45m`, `10s`, `2w` in milliseconds. */
export function parseDuration(text: string, option: string): number {
  const [, amount, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*$/.exec(text) ?? [];
  const factor = units[unit];
  if (amount === undefined || factor === undefined) {
    throw badValue(`\`${option} ${text}\` is not a time.`, "Write a number and a unit: `30d`, `12h`, `45m`, `10s` or `2w`.");
  }
  return Number(amount) * factor;
}

/** A time as ISO text, or a duration from now, in milliseconds since 1970. */
export function parseMoment(text: string, option: string): number {
  const at = /\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? Date.now() + parseDuration(text, option) : at;
}

/** A whole number from `least` on. */
export function parseCount(text: string, option: string, least = 0): number {
  const count = Number(text);
  if (text.trim() === "" || !Number.isInteger(count) || count < least) {
    throw badValue(
      `\`${option} ${text}\` is not a whole number from ${least} on.`,
      `Write for example \`${option} ${Math.max(least, 20)}\`.`,
    );
  }
  return count;
}

function parseJsonObject(text: string, what: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw badValue(`${what} is not JSON: ${(error as Error).message}.`, "Write one JSON object with the values by name.");
  }
  if (!isObject(value)) throw badValue(`${what} must hold one JSON object.`, "Write one JSON object with the values by name.");
  return value;
}

interface InputOptions {
  readonly input?: readonly string[];
  readonly inputs?: string;
}

/**
 * Inputs from a file, overlaid by single ones. A single one is text where the workflow declares text, and JSON elsewhere when it is
 * JSON; the engine checks and names every problem.
 */
export async function parseInputs(session: Session, context: EngineContext, workflow: string, options: InputOptions): Promise<JsonObject> {
  const file =
    options.inputs === undefined ? {} : parseJsonObject(await session.readGiven(options.inputs, "--inputs"), `\`${options.inputs}\``);
  const single = (options.input ?? []).map((text) => keyValue(text, "--input"));
  if (single.length === 0) return file;
  const { refuseUnfilledInput } = await import("./fill-in.ts");
  for (const [name, text] of single) refuseUnfilledInput(name, text);
  const { program } = await context.catalog.load(workflow);
  const specs = program?.parts[program.main]?.inputs ?? {};
  const given = single.map(([name, text]): [string, Json] => [name, own(specs, name)?.type === "string" ? text : jsonOrText(text)]);
  // As own fields, whatever they are called.
  return Object.fromEntries([...Object.entries(file), ...given]);
}
