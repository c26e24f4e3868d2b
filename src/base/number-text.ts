/** `1,879`: groups of three, the same on every machine. */
export function grouped(value: number): string {
  const [whole = "", rest] = String(Math.abs(value)).split(".");
  const text = /^\d+$/.test(whole) ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",") : whole;
  return `${value < 0 ? "-" : ""}${text}${rest === undefined ? "" : `.${rest}`}`;
}

/** `3 files`, `1 file`. */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}

/** `$1.50`; small amounts with four decimals. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
}

/** 0 to 1, or null when there is nothing to measure. */
export function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? Math.min(1, Math.max(0, part / whole)) : null;
}

/** 0 to 100 without decimals; 0 when there is nothing to measure. */
export function percentOf(part: number, whole: number): number {
  return Math.round((shareOf(part, whole) ?? 0) * 100);
}

/** 0 to 100 with one decimal. */
export function tenthsOf(part: number, whole: number): number {
  return Math.round((shareOf(part, whole) ?? 0) * 1000) / 10;
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** `~45 minutes`; never less than a minute. */
export function roughTime(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 90) return `~${counted(minutes, "minute")}`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `~${counted(hours, "hour")}` : `~${counted(Math.round(hours / 24), "day")}`;
}

/** The largest counts, the rest added up: the sum stays the same. */
export function topCounts(counts: Readonly<Record<string, number>>, most: number): Readonly<Record<string, number>> {
  const sorted = Object.entries(counts).sort(([, left], [, right]) => right - left);
  if (sorted.length <= most) return Object.fromEntries(sorted);
  const rest = sorted.slice(most - 1);
  const sum = rest.reduce((all, [, count]) => all + count, 0);
  return Object.fromEntries([...sorted.slice(0, most - 1), [`(${rest.length} others)`, sum]]);
}
