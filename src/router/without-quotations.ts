/** A passage between quotation marks, from two words on: a single word is as a rule a name. */
const passages =
  /(^|[\s([:])(?:"[^"\n]{1,300}\s[^"\n]{1,300}"|“[^”\n]{1,300}\s[^”\n]{1,300}”|«[^»\n]{1,300}\s[^»\n]{1,300}»|„[^“”\n]{1,300}\s[^“”\n]{1,300}[“”]|'[^'\n]{1,300}\s[^'\n]{1,300}'|`[^`\n]{1,300}\s[^`\n]{1,300}`)(?=$|[\s.,;:!?)\]])/gm;

/** Lines that a mail or a forum marks as another person's, and blocks of code. */
const others = /^[\t ]*>.*$/gm;
const code = /^[\t ]*(`{3,}|~{3,})[^\n]*\n[^]*?(?:^[\t ]*\1[`~]*[\t ]*$|$(?![^]))/gm;

/** What a person says in words of their own; everything where they only quote. */
export function withoutQuotations(text: string): string {
  const own = text.replaceAll(code, "\n").replaceAll(others, "").replaceAll(passages, "$1 it ");
  return /\p{L}/u.test(own.replaceAll(/\bit\b/g, "")) ? own : text;
}
