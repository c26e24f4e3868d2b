import type { Json } from "../base/index.ts";

/** A value as text: objects and lists as JSON. */
export function textOf(value: Json): string {
  return typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
}
