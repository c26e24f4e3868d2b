/**
 * Minutes east of UTC of local time: fixed, or asked for with a local time that is given as if it were UTC, in milliseconds.
 */
export type Zone = number | ((wall: number) => number);

const form = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** A time as UTC with milliseconds; undefined when the text is none. A time without a zone is local. */
export function readTime(text: string, zone: Zone): string | undefined {
  const found = form.exec(text.trim());
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, Number((found[7] ?? "").slice(0, 3).padEnd(3, "0")));
  if (year < 1000 || !sameDay(wall, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = found[8] === undefined ? localOffset(wall, zone) : writtenOffset(found[8]);
  const written = new Date(wall - offset * 60_000).toISOString();
  return written.length === 24 ? written : undefined;
}

/** The 31st of a short month would silently become another day. */
function sameDay(wall: number, month: number, day: number): boolean {
  const date = new Date(wall);
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

function localOffset(wall: number, zone: Zone): number {
  const offset = typeof zone === "number" ? zone : zone(wall);
  return Number.isFinite(offset) && Math.abs(offset) <= 24 * 60 ? offset : 0;
}

function writtenOffset(text: string): number {
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  const size = Number(hours) * 60 + Number(minutes);
  return sign === "-" ? -size : size;
}
