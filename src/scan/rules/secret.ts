import type { Finder, Found, LexedText } from "../finder.ts";
import type { CodeTokens } from "./code-tokens.ts";
import { isCommonConnection, isPlaceholder, knownTokens, secretForms } from "./secret-forms.ts";

const advice = "Replace the secret at its issuer, take it from a secret store or the environment, and clean the history.";

/** Literals with the form or the entropy of a secret; a name alone never makes one. */
export const secretLiteral: Finder = {
  id: "secret",
  needles: [...new Set([...secretForms.flatMap(({ needles }) => needles), "password", "passwd", "secret", "token", "key", "credential"])],
  find(source) {
    const found = [...byForm(source), ...byEntropy(source)];
    const taken: Found[] = [];
    for (const one of found) if (!taken.some(({ start, end }) => one.start < end && start < one.end)) taken.push(one);
    return taken.sort((a, b) => a.start - b.start);
  },
};

function place(type: string, whole: { readonly start: number; readonly end: number }, secret = whole): Found {
  return { type, auto: false, needs: "manual", ...whole, action: advice, secrets: [secret] };
}

function byForm({ text }: LexedText): readonly Found[] {
  const low = text.toLowerCase();
  return secretForms.flatMap(({ type, needles, regex }) =>
    needles.some((needle) => low.includes(needle))
      ? [...text.matchAll(regex)].flatMap((match): Found[] => {
          const { secret = match[0], host } = match.groups ?? {};
          const start = match.index + match[0].indexOf(secret);
          if (type !== "private_key" && isPlaceholder(secret)) return [];
          if (host !== undefined && isCommonConnection(host, secret)) return [];
          if (type === "json_web_token" && knownTokens.test(secret)) return [];
          if (type === "openai_key" && !isRandom(secret.replace(/^sk-(?:proj-|svcacct-|ant-)?/, ""))) return [];
          return [place(type, { start: match.index, end: match.index + match[0].length }, { start, end: start + secret.length })];
        })
      : [],
  );
}

const secretName =
  /passw(?:or)?d|passphrase|(?:^|[^a-z])pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key|credential/i;
/** The name of something about a secret, or of what everybody may know. */
const aboutSecret =
  /(?:url|uri|path|name|field|label|id|ids|type|types|header|regex|pattern|placeholder|prefix|suffix|selector|class|title|text|message|hint|error|help|format|alphabet|charset|chars|hash|checksum|integrity|digest|version|count|length|limit|expir\w*|kind|scope|endpoint|event|action|cookie|param|column|table|attr\w*|variant|color|icon|lookup)$|public|publish|csrf|xsrf|recaptcha|site[_-]?key|tokeni[sz]/i;

function byEntropy({ code, language }: LexedText): readonly Found[] {
  if (language === "text" || language === "markup" || language === "markdown") return [];
  const found: Found[] = [];
  for (let at = 0; at < code.length; at += 1) {
    if (code.kind(at) !== "string") continue;
    const value = code.inside(at);
    if (value.length < 16 || value.length > 400 || !isRandom(value) || isPlaceholder(value)) continue;
    const name = nameOf(code, at);
    if (name === undefined || !secretName.test(name) || aboutSecret.test(name)) continue;
    const start = code.start(at) + code.word(at).indexOf(value);
    found.push(place("random_literal", { start: code.start(at), end: code.end(at) }, { start, end: start + value.length }));
  }
  return found;
}

/** What a literal is assigned to, or the default of. */
function nameOf(code: CodeTokens, at: number): string | undefined {
  const before = code.word(at - 1);
  if (before === "=" || before === ":") {
    if (before === "=" && ["=", "!", "<", ">"].includes(code.word(at - 2)) && code.touches(at - 1)) return undefined;
    const up = code.word(at - 2) === ":" && before === "=" ? at - 3 : at - 2;
    // `name: string = ...`
    return plainName(code, code.word(up - 1) === ":" && before === "=" ? up - 2 : up);
  }
  if (before === ">" && code.word(at - 2) === "=") return plainName(code, at - 3);
  if (["|", "?"].includes(before) && code.word(at - 2) === before) return plainName(code, at - 3);
  if (before === "or" && code.word(at - 2) === ")") return plainName(code, at - 3);
  // `get("NAME", "...")`
  if (before === "," && code.kind(at - 2) === "string" && code.word(at - 3) === "(") return plainName(code, at - 2);
  return undefined;
}

function plainName(code: CodeTokens, at: number): string | undefined {
  const kind = code.kind(at);
  if (kind === "name" || kind === "quoted_name") return code.word(at);
  if (kind === "string") return /^[\w.:-]{1,80}$/.test(code.inside(at)) ? code.inside(at) : undefined;
  return code.word(at) === "]" && code.kind(at - 1) === "string" ? plainName(code, at - 1) : undefined;
}

/** Names things far more often than it keeps a secret. */
const uuid = /^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i;

/** Letters and digits mixed as chance mixes them: no words, no numbers, no path. */
export function isRandom(value: string): boolean {
  if (!/^[A-Za-z0-9+/=_.~!@#$%^&*-]+$/.test(value) || /^(?:\.{0,2}\/|https?:|data:)/.test(value)) return false;
  if (uuid.test(value)) return false;
  const digits = value.replace(/\D/g, "").length;
  const letters = value.replace(/[^A-Za-z]/g, "").length;
  if (digits < 3 || letters < 3) return false;
  const parts = value.split(/[-_./:]/).filter((part) => part !== "");
  if (parts.length > 1 && parts.every((part) => /^(?:[A-Za-z]{1,24}\d{0,2}|\d{1,8})$/.test(part))) return false;
  const hex = /^[0-9a-f-]+$/i.test(value);
  return entropyOf(value) >= (hex ? 3 : 3.5) && (!hex || value.length >= 24);
}

/** Bits for each character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const sign of value) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / value.length) * Math.log2(count / value.length), 0);
}
