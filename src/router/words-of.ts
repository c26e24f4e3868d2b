/** Words that say nothing about what is wanted. */
const empty: ReadonlySet<string> = new Set(
  [
    "a about again all almost already also always am an and any anything are as at be been but by can could did do does for from get got had has have he help",
    "her here him his how i if in into is it its just let like may me might mine more must my need no not now of off ok on one or our out over own please she",
    "should so some still such than that the their them then there these they this those to too up us use used user using very via want wants was we were what",
    "when where which who whom whose why will with would yes you your everything everywhere nothing someone something somewhere today tomorrow",
    "somebody pls plz",
    "yesterday really actually maybe perhaps thing things since until while",
  ].flatMap((line) => line.split(" ")),
);

/** Of a longer text only its beginning and its end are read: a request comes before or after what is pasted. */
const most = { begin: 3000, end: 1000 } as const;

export function readableText(text: string): string {
  if (text.length <= most.begin + most.end) return text.normalize("NFKC").toLowerCase();
  return `${text.slice(0, most.begin)}\n${text.slice(-most.end)}`.normalize("NFKC").toLowerCase();
}

/** What is said in several ways, or in several words, and is one word here. A number behind `#` is a word in the place of any such number. */
const oneWord: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?:\/\/\S+\/(?:pull|merge_requests)\/\d+\S*/g, " #pr "],
  [/([a-z])\1{2,}/g, "$1"],
  [/[#!]\d+/g, " #n "],
  [/\b[a-z_.]*[a-z](?:error|exception)\b(?=[:\s(])/g, " #error "],
  [/\bat [\w.$<>]+\(|\bat \S+ ?\(\S+:\d+\)|\bfile "\S+", line \d+|^traceback\b.*/gm, " #trace "],
  [
    /\b[45]\d\d(?= (?:errors?|on|from|when|for|in|since|after)\b)|(?<=\b(?:http|status|returns?|get|gets|a|an|throws|with) )[45]\d\ds?\b/g,
    " #status ",
  ],
  [
    /\b\d+(?:[.,]\d+)? ?(?:ms|s|secs?|seconds?)\b|\b(?:takes?|needs?|runs?|lasts?|took) (?:\w+ ){0,2}(?:\d+(?:[.,]\d+)?|an?|two|three|several) ?(?:h|hrs?|hours?|mins?|minutes?|days?)\b/g,
    " #time ",
  ],
  [
    /\b(?!\w+\.(?:ts|js|tsx|py|go|rs|md|json|java|kt|cs|rb|io|com|org|net|so|de|example)\b)[a-z_]+s\.[a-z_]{3,}\b|\b[a-z_]+\.[a-z]+_[a-z_]+\b/g,
    "$& #column ",
  ],
  [
    /\b(?:does nothing|doesn't|does not|don't|isn't|aren't|cannot|can't|no longer|anymore|any more|instead of|twice|wrong(?:ly)?|incorrect(?:ly)?|loops? forever|(?:is|are|comes? out) \w* ?missing|fails?|breaks?|loses|forgets|ignores|disappears?|gets? lost|crash(?:es|ed)?|shows? (?:the )?(?:old|wrong)|never (?:\w+s|\w+ed|got)|every time|for (?:some|certain) (?:users|customers|people))\b/g,
    "$& #wrong ",
  ],
  [/\b\d+(?:[.,]\d+)? ?(?:[kmg]b|[kmg]i)\b/g, " #size "],
  [/\bv?\d+\.\d+\.(?:\d+|x)\b|\bv\d+\.\d+\b|\b\d+\.x\b|(?<=\b(?:to|from|version|release) )\d+\.\d+\b/g, " #version "],
  [/(?<=\d[.\dx]*) ?(?:->|=>|→) ?(?=v?\d)/g, " #upgrade "],
  [/(?<=^|\s)--[a-z][\w-]+/gm, "$& #option "],
  [/\b(?:to|for) (?=v?\d+(?:\.[\dx]+)*(?:[.,;!?]|$| (?:please|pls|across|in|before|by|and)\b))/gm, " #upgrade "],
  [/\b[a-z]{2}\.(?:json|ya?ml|po|strings|xliff)\b|\b[a-z]{2}-[a-z]{2}\.json\b|\blocales?\b/g, " #locale "],
  [/\b[\w-]*[._-](?:test|spec)s?\.[a-z]{1,4}\b/g, " #test "],
  [/\b(?<=\b(?:in|into|to) )[a-z]{3,}(?:ian|ish|ese)\b/g, "$& #language "],
  [/\blet (?=(?!me|us|him|her|it|them|the|you|go|this|that)[a-z]{3})/g, " #let "],
  [/\.net\b/g, " #net "],
  [/\b(?:pull|merge)[- ]requests?\b/g, "pr"],
  [/\bup[- ]to[- ]date\b/g, "update"],
  [/\bdocumentation\b/g, "docs"],
];

/** Every word of a readable text in its order, in its basic form. What is written with `_` is the name of something and one word. */
export function allWords(text: string): readonly string[] {
  return writtenWords(text).map(stemWord);
}

/** Words as they are written, by their basic form; the first one of several. */
export function wordsByForm(text: string): ReadonlyMap<string, string> {
  return new Map(
    writtenWords(text)
      .map((word) => [stemWord(word), word] as const)
      .toReversed(),
  );
}

function writtenWords(text: string): readonly string[] {
  const plain = oneWord.reduce((left, [form, word]) => left.replaceAll(form, word), text);
  return (
    plain.match(
      /#(?:n|pr|error|status|trace|time|size|version|locale|net|upgrade|option|test|language|let|wrong|column)\b|[\p{L}\p{N}_]+(?:['’]\p{L}+)?/gu,
    ) ?? []
  );
}

/** Those words that say something about what is wanted. */
export function tellingWords(words: readonly string[]): readonly string[] {
  const without = (emptyStems ??= new Set([...empty].flatMap((word) => [word, stemWord(word)])));
  return words.filter((word) => !without.has(word) && !/^#..+/.test(word) && (word.length > 1 || !/[a-z]/.test(word)));
}

/** The basic form of an English word, the same for its plural, its tenses and what is derived from it in the usual ways. */
export function stemWord(word: string): string {
  const plain = word.replace(/['’](?:s|re|ve|ll|d|m|t)?$/u, "");
  if (!/^[a-z]{4,40}$/.test(plain)) return plain;
  return withoutEnding(withoutTense(withoutPlural(plain)));
}

function withoutPlural(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  const [, begin = ""] = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(word) ?? [];
  if (begin.length < 3) return word;
  return /([bcdfgjkmnprtvz])\1$/.test(begin) ? begin.slice(0, -1) : begin;
}

/** Endings go in layers: `implementations`, `implementing` and `implement` come to the same. So many letters are left at least. */
function withoutEnding(word: string): string {
  const layers = [
    { ending: /(?:ion|e)$/, least: 4 },
    { ending: /at$/, least: 5 },
    { ending: /(?:ment|ness|ance|ence|ity|ly|er|or|al|ive|able|ible)$/, least: 4 },
    { ending: /e$/, least: 4 },
  ];
  return layers.reduce((left, { ending, least }) => {
    const begin = left.replace(ending, "");
    return begin.length >= least ? begin : left;
  }, word);
}

/** Made when first asked for: most processes that load this room route nothing. */
let emptyStems: ReadonlySet<string> | undefined;
