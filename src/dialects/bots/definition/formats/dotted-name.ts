import { plainName } from "../vocabulary.ts";

export interface DottedName {
  readonly bot?: string;
  readonly behaviour?: string;
  readonly last: string;
}

/** `bot.behaviour.action`, read from the right; anything further left belongs to the bot. Numbers of folders are dropped. */
export function readDottedName(text: string): DottedName | undefined {
  const parts = text.split(".").map((part) => plainName(part.trim()));
  if (parts.some((part) => part === "")) return undefined;
  const last = parts.pop() ?? "";
  const behaviour = parts.pop();
  const bot = parts.join(".");
  return { last, ...(behaviour === undefined ? {} : { behaviour }), ...(bot === "" ? {} : { bot }) };
}
