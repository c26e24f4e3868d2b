import { shorten } from "../base/index.ts";
import type { Run } from "../ports/index.ts";

const mostShown = 300;

/** A text of an author on one line and cut, with all of it where that is more. */
export function shownText(whole: string): Pick<Run, "text" | "whole"> {
  const text = shorten(whole.replace(/\s+/g, " ").trim(), mostShown);
  return { text, ...(whole === text ? {} : { whole }) };
}
