import type { Routable } from "./routed.ts";

/** What a workflow says about when to use it, from its keys and from the lines of its description. */
export interface RoutingTexts {
  readonly name: string;
  readonly use: string;
  /** Phrases and whole requests that ask for it. */
  readonly phrases: readonly string[];
  readonly rest: string;
  readonly not: readonly string[];
}

type Section = "use" | "triggers" | "not" | "rest";

const heading =
  /^\s*(?:[-*]\s+)?\**(use (?:this )?(?:workflow )?(?:when|for|if)|triggers?|examples?|not for|do not use(?: for| when| if)?|don't use(?: for| when| if)?|[a-z][a-z ]{1,20})\**\s*:\**\s*/i;

/** Reads lines such as `Use when: ...`, `Triggers: "a", "b"` and `NOT for: ...`, and the same inside a sentence. */
export function routingTexts({ name, description, triggers = [], examples = [], notFor = [] }: Routable): RoutingTexts {
  const sections: Record<Section, string[]> = { use: [], triggers: [], not: [], rest: [] };
  let section: Section = "rest";
  for (const line of lines(description)) {
    if (line.trim() === "") section = "rest";
    const [all = "", word] = heading.exec(line) ?? [];
    if (word !== undefined) section = sectionOf(word);
    sections[section].push(section === "rest" ? line : line.slice(all.length));
  }
  const listed = sections.triggers.join(" ");
  const quoted = [...listed.matchAll(/"([^"]+)"|“([^”]+)”/g)].map(([, plain, curly]) => plain ?? curly ?? "");
  const phrases = quoted.length > 0 ? quoted : listed.split(/[,;]/);
  return {
    name,
    use: withoutAsides(sections.use),
    phrases: [...triggers, ...examples, ...phrases].filter((phrase) => /\p{L}/u.test(phrase)),
    rest: withoutAsides(sections.rest),
    not: [...notFor, ...sections.not.join(" ").split(/[,;]/)].filter((text) => /\p{L}/u.test(text)),
  };
}

/** `before it is merged` does not say that it merges. */
function withoutAsides(texts: readonly string[]): string {
  return texts
    .join(" ")
    .replaceAll(/\b(?:before|after|until|once|instead of|rather than|without|nothing is|no code is|is not)\b[^.,;:()]*/gi, "");
}

/** Headings in the middle of a line begin a line of their own. */
function lines(description: string): readonly string[] {
  return description
    .replaceAll(/(?<=[.!?)]\s)(?=(?:use (?:this )?when|not for|triggers?)\b)/gi, "\n")
    .replaceAll(/^(\s*(?:use (?:this )?(?:when|for|if)|not for|do not use (?:for|when|if)))\s+(?!:)/gim, "$1: ")
    .split("\n");
}

function sectionOf(word: string): Section {
  if (/^use/i.test(word)) return "use";
  if (/^(?:trigger|example)/i.test(word)) return "triggers";
  return /not/i.test(word) || /don't/i.test(word) ? "not" : "rest";
}
