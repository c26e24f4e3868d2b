import { readTime } from "../../../../source/index.ts";

const mostWords = 4;
const longestWord = 24;
const fillers = new Set("a an and are as at be by for from in into is it of on or so that the then this to with".split(" "));

/**
 * The folder name of a new session: the date, and two to four words of what it is about. A name that is taken gets `-2`, `-3`, ...
 * The date is the beginning of any ISO time; undefined when it is none.
 */
export function sessionName(date: string, about: string, taken: Iterable<string>): string | undefined {
  const day = date.slice(0, 10);
  if (!isDay(day)) return undefined;
  const name = `${day}_${slugOf(about)}`;
  const used = new Set([...taken].map((each) => each.toLowerCase()));
  if (!used.has(name)) return name;
  let number = 2;
  while (used.has(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

/** Two to four kebab-case words. Small words are left out where enough others are there. */
export function slugOf(about: string): string {
  const words = (
    about
      .slice(0, 1000)
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .replace(/['’]/g, "")
      .match(/[a-z0-9]+/g) ?? []
  ).map((word) => word.slice(0, longestWord));
  const weighty = words.filter((word) => !fillers.has(word));
  const chosen = (weighty.length >= 2 ? weighty : words).slice(0, mostWords);
  while (chosen.length < 2) chosen.push(chosen.length === 0 ? "new" : "session");
  return chosen.join("-");
}

/** Whether a folder has the name of a session. */
export function isSessionName(name: string): boolean {
  const [, day = "", slug = ""] = /^(\d{4}-\d{2}-\d{2})_(.+)$/.exec(name) ?? [];
  return isDay(day) && /^[a-z0-9]+(?:-[a-z0-9]+){1,3}(?:-\d+)?$/.test(slug);
}

function isDay(day: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && readTime(day, 0) !== undefined;
}
