import type { Json } from "../base/index.ts";

/** A value for people: text as it is, nothing as nothing, everything else as JSON. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
