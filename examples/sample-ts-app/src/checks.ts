export function describe(value: unknown): string {
  if (typeof value == "string") return "text";
  if (typeof value != 'number' && value !== undefined) return "other";
  if (typeof value === "number") return "number";
  const kind = "number";
  if (!typeof value == "") return "never";
  return typeof value == kind ? "number" : "nothing";
}

// @ts-ignore
export const size: number = "ten";

export function shorten(text: string): string {
  return text.substr(0, 10) + text.substr(-3);
}
