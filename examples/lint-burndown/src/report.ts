import { totalOf, type Line } from "./cart.ts";

export function report(lines: readonly Line[], currency: string): string {
  const names = lines.map((line) => line.name);
  const total: string = totalOf(lines);
  if (total == NaN) return "nothing";
  // oxlint-disable-next-line no-unused-vars -- kept for the next version
  const later = names;
  return `${total} ${currency}`;
}
