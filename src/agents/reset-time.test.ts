import fc from "fast-check";
import { expect, test } from "vitest";
import { readResetTime } from "./reset-time.ts";

const minute = 60_000;
const hour = 60 * minute;
/** A Thursday, 11:20 in Berlin. */
const now = Date.UTC(2026, 10, 19, 10, 20);
const at = { now, zone: "Europe/Berlin" };

test.each([
  ["5-hour limit reached ∙ resets 3am", Date.UTC(2026, 10, 20, 2)],
  ["5-hour limit reached ∙ resets 9pm", Date.UTC(2026, 10, 19, 20)],
  ["You've hit your session limit · resets 6:40am (UTC)", Date.UTC(2026, 10, 20, 6, 40)],
  ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", Date.UTC(2026, 10, 20, 8, 50)],
  ["You've hit your limit · resets 3am (Europe/Berlin)", Date.UTC(2026, 10, 20, 2)],
  [
    "You've hit your session limit · resets 5:40pm (Europe/Berlin)\n/login to switch to an API usage-billed account.",
    Date.UTC(2026, 10, 19, 16, 40),
  ],
  ["Weekly limit reached ∙ resets Mon 10:00 AM", Date.UTC(2026, 10, 23, 9)],
  ["Weekly limit reached ∙ resets Thu 10:00 AM", Date.UTC(2026, 10, 26, 9)],
  ["Opus weekly limit reached ∙ resets Nov 24", Date.UTC(2026, 10, 23, 23)],
  ["Opus weekly limit reached ∙ resets Jan 2, 9am", Date.UTC(2027, 0, 2, 8)],
  ["You've hit your weekly limit · resets Nov 25 at 7pm", Date.UTC(2026, 10, 25, 18)],
  ["Claude usage limit reached. Your limit will reset at 3am (UTC).", Date.UTC(2026, 10, 20, 3)],
  ["Your limit will reset at 1pm (Etc/GMT+5).", Date.UTC(2026, 10, 19, 18)],
  ["You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM.", Date.UTC(2026, 10, 20, 8, 30)],
  ["You've hit your usage limit. Try again at 11:30 PM.", Date.UTC(2026, 10, 19, 22, 30)],
  ["or try again at Dec 5th, 2026 8:19 PM.", Date.UTC(2026, 11, 5, 19, 19)],
  ["Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.", now + 142 * hour + 11 * minute],
  ['{"type":"usage_limit_reached","resets_at":1795123456,"resets_in_seconds":1}', 1_795_123_456_000],
  ['{"type":"usage_limit_reached","resets_in_seconds":13872}', now + 13_872_000],
  [String.raw`"{\"resets_in_seconds\":60}"`, now + minute],
  ["Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3.", Date.UTC(2026, 10, 20, 1, 57)],
  [
    "You have exhausted your capacity on this model. Your quota will reset after 4h28m20s. (HTTP 429)",
    now + 4 * hour + 28 * minute + 20_000,
  ],
  ["Please wait for your limit to reset on December 20, 2026 at 2:00 AM or switch to auto model", Date.UTC(2026, 11, 20, 1)],
  ["Please wait 2 minutes before trying again or consider switching to Auto.", now + 2 * minute],
  ["Weekly usage limit reached. It will reset in 5 days 10 hours.", now + 130 * hour],
  ["Free usage exceeded, subscribe to Go [retrying in ~20h]", now + 20 * hour],
  ["Limit reached, resets 23:15", Date.UTC(2026, 10, 19, 22, 15)],
  ["Usage limit reached. Resets at 2026-01-02T03:04:05Z.", Date.UTC(2026, 0, 2, 3, 4, 5)],
])("%s", (text, resetAt) => {
  expect(readResetTime(text, at)).toBe(resetAt);
});

test.each([
  "You've hit your limit · resets 25pm",
  "resets 3am (Middle/Earth)",
  "resets soon",
  "Limit reached: 3 am",
  "429",
  "the cache resets itself",
])("%s names no time", (text) => {
  expect(readResetTime(text, at)).toBeUndefined();
});

test("the zone of the machine counts where the text names none", () => {
  const read = ["Europe/Berlin", "UTC", "Asia/Calcutta"].map((zone) => readResetTime("resets 3am", { now, zone }));
  expect(read).toEqual([Date.UTC(2026, 10, 20, 2), Date.UTC(2026, 10, 20, 3), Date.UTC(2026, 10, 19, 21, 30)]);
});

test("a time that passed only just now is over; one that passed before is that of tomorrow", () => {
  const read = (minutes: number): number | undefined =>
    readResetTime("resets 10am (UTC)", { now: Date.UTC(2026, 10, 19, 10, minutes), zone: "UTC" });
  expect([read(0), read(10), read(30)]).toEqual([Date.UTC(2026, 10, 19, 10), Date.UTC(2026, 10, 19, 10), Date.UTC(2026, 10, 20, 10)]);
});

const zones = ["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Calcutta", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns"];
const show = (zone: string, options: Intl.DateTimeFormatOptions) => (moment: number) =>
  new Intl.DateTimeFormat("en-US", { timeZone: zone, ...options }).format(moment);

const forms = (zone: string): readonly ((moment: number) => string)[] => {
  const clock = show(zone, { hour: "numeric", minute: "2-digit" });
  const short = (moment: number): string => clock(moment).replace(/\s/g, "").toLowerCase();
  const date = show(zone, { month: "short", day: "numeric" });
  const year = show(zone, { year: "numeric" });
  return [
    (moment) => `You've hit your session limit · resets ${short(moment)} (${zone})`,
    (moment) => `5-hour limit reached ∙ resets ${short(moment)}`,
    (moment) => `Usage limit. Try again at ${clock(moment)}.`,
    (moment) => `Weekly limit reached ∙ resets ${show(zone, { weekday: "short" })(moment)} ${clock(moment)}`,
    (moment) => `You've hit your weekly limit · resets ${date(moment)} at ${short(moment)} (${zone})`,
    (moment) => `or try again at ${date(moment)}th, ${year(moment)} ${clock(moment)}.`,
  ];
};

test("a time that was written in the words of agents is read back, in every zone and on the days when clocks change", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3 * 365 * 24 * 60 }),
      fc.integer({ min: 1, max: 22 * 60 }),
      fc.constantFrom(...zones),
      fc.nat(5),
      (start, ahead, zone, form) => {
        const from = Date.UTC(2026, 0, 1) + start * minute;
        const moment = from + ahead * minute;
        const write = forms(zone)[form] ?? String;
        const read = readResetTime(write(moment), { now: from, zone }) ?? Number.NaN;
        // An hour that the clock on the wall shows twice may be either of the two.
        expect(write(read)).toBe(write(moment));
        expect(Math.abs(read - moment)).toBeLessThanOrEqual(hour);
      },
    ),
    { numRuns: 1000 },
  );
});
