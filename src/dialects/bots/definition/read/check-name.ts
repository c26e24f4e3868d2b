import type { SourceNode } from "../../../../source/index.ts";
import { plainName } from "../vocabulary.ts";
import type { BotReading } from "./bot-reading.ts";

const nameForm = /^[A-Za-z0-9][\w-]*$/;

/** The name of a bot, behaviour or action without its number; complains when tools and state files could not carry it. */
export function checkedName(reading: BotReading, node: SourceNode | undefined, what: string, folder: string): string {
  const written = typeof node?.value === "string" && node.value.trim() !== "" ? node.value : undefined;
  const name = plainName(written ?? folder);
  if (!nameForm.test(name)) {
    const complaint = {
      code: "BOTS_BAD_NAME",
      message: `\`${name}\` cannot be the name of ${what}.`,
      fix: "Use letters, digits, `_` and `-`, e.g. `gather_context`.",
    };
    if (node !== undefined) reading.complain(node, complaint);
    else reading.complainOf(reading.place(folder), complaint);
  }
  return name;
}
