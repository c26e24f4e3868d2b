const nameStart = 1;
const digit = 2;
const space = 4;

/** What the ASCII characters are; the rest is asked of Unicode, since it is rare in code. */
const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(character)) classes[code] = nameStart;
  else if (/[0-9]/.test(character)) classes[code] = digit;
  else if (/\s/.test(character)) classes[code] = space;
}

export function isSpace(code: number): boolean {
  return code < 128 ? classes[code] === space : /\s/.test(String.fromCharCode(code));
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isNameStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? classes[code] === nameStart : code >= 128 && /^[\p{L}\p{Nl}]/u.test(text.slice(at, at + 2));
}

export function isNamePart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return ((classes[code] ?? 0) & (nameStart | digit)) !== 0;
  if (code >= 0xdc00 && code <= 0xdfff && at > 0) return /^[\p{L}\p{N}\p{M}]/u.test(text.slice(at - 1, at + 1));
  return code >= 128 && /^[\p{L}\p{N}\p{M}\p{Pc}]/u.test(text.slice(at, at + 2));
}
