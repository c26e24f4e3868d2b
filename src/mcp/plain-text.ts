import type { Json } from "../base/index.ts";

/** A value in a sentence: text as it is, everything else as JSON, nothing for what is absent. */
export function plainText(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
