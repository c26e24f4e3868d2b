/** The moment from which a time of day counts, and the zone that it is in where the text names none. */
export interface ReadAt {
  readonly now: number;
  readonly zone: string;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** A time of day that passed only just now is meant, and not that of tomorrow: programs name the minute, and clocks differ. */
const justNowMs = 15 * minuteMs;

/** When a limit ends, in the words of agents' programs: milliseconds since 1970; undefined where the text names no time that can be read. */
export function readResetTime(text: string, at: ReadAt): number | undefined {
  return momentIn(text) ?? namedTime(text, at) ?? spanFromNow(text, at.now);
}

/** A moment that needs neither clock nor zone: ISO text, or seconds since 1970. */
function momentIn(text: string): number | undefined {
  const [moment] = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text) ?? [];
  if (moment !== undefined) return Date.parse(moment);
  const [, behindBar, field] = /\|(\d{10})\b|\bresets?_?at\\?["']?\s*[:=]\s*(\d{10})\b/i.exec(text) ?? [];
  const seconds = behindBar ?? field;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const day = String.raw`(?:(?<weekday>${weekdays.join("|")})[a-z]*|(?<month>${months.join("|")})[a-z]*\.? (?<date>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?)`;
const clock = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d))?(?::\d\d)?\s?(?<half>[ap])\.?m\b\.?|(?<hour24>\d{1,2}):(?<minute24>\d\d)(?::\d\d)?`;
const zone = String.raw`\s?(?:\((?<zone>[\w+/-]+)\)|(?<offset>(?:GMT|UTC)(?:[+-]\d{1,2}(?::?\d\d)?)?))?`;
const named = new RegExp(
  String.raw`\b(?:resets?|try again|available|until)(?: on| at)?:? (?:${day}(?:,? at|,)? ?)?(?:(?:${clock})${zone})?`,
  "gi",
);

type Groups = Readonly<Record<string, string | undefined>>;

/** A time of day, with or without a day. */
function namedTime(text: string, at: ReadAt): number | undefined {
  for (const { groups = {} } of text.matchAll(named)) {
    const { hour, hour24, month, weekday } = groups as Groups;
    if ((hour ?? hour24 ?? month ?? weekday) === undefined) continue;
    const read = nextTime(groups, at);
    if (read !== undefined) return read;
  }
  return undefined;
}

function nextTime(groups: Groups, { now, zone: local }: ReadAt): number | undefined {
  const offset = offsetIn(groups["zone"] ?? groups["offset"] ?? local);
  const time = timeOfDay(groups);
  if (offset === undefined || time === undefined) return undefined;
  /** The clock on the wall there, as if it were that of UTC. */
  const wall = new Date(now + offset(now));
  const from = now - justNowMs;
  const { weekday, month, year } = groups;
  const midnight = (days: number): number => Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() + days);
  const onDate = (y: number): number => Date.UTC(y, months.indexOf(month?.toLowerCase() ?? ""), Number(groups["date"]));
  const thisYear = wall.getUTCFullYear();
  const candidates =
    month === undefined
      ? [0, 1, 2, 3, 4, 5, 6, 7]
          .map(midnight)
          .filter((each) => weekday === undefined || new Date(each).getUTCDay() === weekdays.indexOf(weekday.toLowerCase()))
      : year === undefined
        ? [thisYear - 1, thisYear, thisYear + 1].map(onDate)
        : [onDate(Number(year))];
  const moments = candidates.map((each) => fromWall(each + time, offset));
  // A date without its year is the nearest one: that of a limit which is over may just have been passed.
  if (month !== undefined) return moments.toSorted((a, b) => Math.abs(a - now) - Math.abs(b - now))[0];
  return moments.find((each) => each > from);
}

/** Milliseconds from midnight; a day alone means its beginning. */
function timeOfDay({ hour, minute = "0", half, hour24, minute24 }: Groups): number | undefined {
  const isPm = half?.toLowerCase() === "p";
  const [hours, minutes] =
    hour === undefined ? [Number(hour24 ?? 0), Number(minute24 ?? 0)] : [(Number(hour) % 12) + (isPm ? 12 : 0), Number(minute)];
  const isValid = hours < 24 && minutes < 60 && Number(hour ?? 1) >= 1 && Number(hour ?? 1) <= 12;
  return isValid ? (hours * 60 + minutes) * minuteMs : undefined;
}

type Offset = (moment: number) => number;

/** What a zone's clocks are ahead of UTC, in milliseconds; undefined for a zone that nobody knows. */
function offsetIn(name: string): Offset | undefined {
  const [, sign, hours, minutes = "0"] = /^(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(name) ?? [];
  if (hours !== undefined) {
    const ahead = (Number(hours) * 60 + Number(minutes)) * minuteMs * (sign === "-" ? -1 : 1);
    return () => ahead;
  }
  let format: Intl.DateTimeFormat;
  try {
    const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, hourCycle: "h23", ...parts });
  } catch {
    return undefined;
  }
  return (moment) => {
    const read = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day: date = 1, hour = 0, minute = 0, second = 0 } = read;
    return Date.UTC(year, month - 1, date, hour, minute, second) - Math.floor(moment / 1000) * 1000;
  };
}

/** The moment at which the clock on the wall shows this. */
function fromWall(wall: number, offset: Offset): number {
  const first = wall - offset(wall);
  return wall - offset(first);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: minuteMs, h: 3_600_000, d: dayMs };

/** A time from now, in the units of people, or in seconds as a field of JSON. */
function spanFromNow(text: string, now: number): number | undefined {
  const [, seconds] =
    /\b(?:resets?_in_seconds|retry_?after(?:_seconds)?)\\?["']?\s*[:=]\s*["']?(\d+(?:\.\d+)?)(?![\d.]*\s?[a-z])/i.exec(text) ?? [];
  if (seconds !== undefined) return now + Number(seconds) * 1000;
  const [, wait] = /\b(?:in|after|wait):? ~?((?:\d+(?:\.\d+)?\s?(?:d|h|m|s)[a-z]*[\s,]*(?:and )?)+)/i.exec(text) ?? [];
  if (wait === undefined) return undefined;
  const parts = [...wait.matchAll(/(\d+(?:\.\d+)?)\s?(ms|[dhms])/gi)];
  return now + parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit.toLowerCase()] ?? 0), 0);
}
