/**
 * Text as it is in a column. Two things would go wrong with plain text: U+0000 and lone surrogates are cut, replaced or
 * refused, and databases compare UTF-8 bytes, which differs from code-unit order above U+D7FF. Both are escaped so that
 * every text comes back as it was and columns sort in code-unit order. Ordinary text is stored as it is.
 */
export function encodeText(text: string): string {
  return special.test(text) ? text.replace(eachSpecial, escape) : text;
}

export function decodeText(stored: string): string {
  return escaped.test(stored) ? stored.replace(eachEscaped, unescape) : stored;
}

// U+0001 introduces the two lowest units, U+D7FF itself and all above; what follows keeps their order.
const special = /[\u0000\u0001\ud7ff-\uffff]/;
const eachSpecial = /[\u0000\u0001\ud7ff-\uffff]/g;
const escaped = /[\u0001\ud7ff]/;
const eachEscaped = /[\u0001\ud7ff]([^])/g;
const high = 0xd7ff;

function escape(unit: string): string {
  const code = unit.charCodeAt(0);
  return code < high ? `\u0001${String.fromCharCode(code + 1)}` : `\ud7ff${String.fromCharCode(code - high + 1)}`;
}

function unescape(pair: string, second: string): string {
  const code = second.charCodeAt(0) - 1;
  return String.fromCharCode(pair.charCodeAt(0) < high ? code : code + high);
}
