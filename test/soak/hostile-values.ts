import type { Random } from "./random.ts";

/** Texts that have broken something somewhere. */
export const hostileTexts: readonly string[] = [
  "",
  " ",
  "\0",
  "\n",
  "\r\n",
  "\t",
  "\u2028",
  "\ufeff",
  "\ud800",
  "\u202e",
  "🧪",
  "null",
  "undefined",
  "true",
  "NaN",
  "-0",
  "1e999",
  "0x10",
  "~",
  "-",
  "---",
  "...",
  "%TAG ! x:",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "raw.__proto__.polluted",
  "raw.constructor.prototype.polluted",
  'raw["__proto__"].polluted',
  "raw..a",
  "raw[",
  "raw[-1]",
  "raw[99999999]",
  "a.b.c.d.e.f",
  ".",
  "[]",
  "{{",
  "}}",
  "{{ }}",
  "{{{{ a }}}}",
  "{{ a",
  "{{ a | }}",
  "{{ a | nofilter }}",
  "{{ now() }}",
  "{{ uuid() }}",
  "{{ inputs }}",
  "{{ computed }}",
  "{{ 1/0 }}",
  "{{ `${a}` }}",
  "{{ '}}' }}",
  "{{ constructor.constructor('return process')() }}",
  "{{ while(true){} }}",
  "(".repeat(500),
  "{{ ".repeat(200),
  "[".repeat(300),
  "a".repeat(5_000),
  "../../etc/passwd",
  "/etc/passwd",
  "C:\\Windows",
  "file:///etc/passwd",
  "..\\..",
  "con",
  "a:b:c",
  "a__b",
  ":",
  "::",
  "; touch OWNED",
  "$(touch OWNED)",
  "`touch OWNED`",
  "' ; touch OWNED ; '",
  '" ; touch OWNED ; "',
  "| touch OWNED",
  "&& touch OWNED",
  "> OWNED",
  "\\",
  "'",
  '"',
  "$HOME",
  "*",
  "?",
  "!",
  "#",
  "~root",
  '{"$blob":"x"}',
  "$blob",
  "wf-x-2026-01-01-aaaaaa",
  "strand/x/main",
  "main",
  "%s%n",
  "<script>",
  "' or 1=1 --",
  "{}",
  "[]",
  "[1,2",
  '{"a":',
  '"',
  "0",
  "-1",
  "1.5",
  "2 ** 53",
];

export function hostileText(random: Random): string {
  if (random.chance(0.6)) return random.pick(hostileTexts);
  if (random.chance(0.2)) return random.pick(hostileTexts) + random.pick(hostileTexts);
  return Array.from({ length: random.below(40) }, () =>
    String.fromCharCode(random.chance(0.8) ? 32 + random.below(95) : random.below(65_536)),
  ).join("");
}

/** Any JSON value, shallow but odd. */
export function hostileValue(random: Random, depth = 3): unknown {
  const kind = random.below(depth > 0 ? 9 : 6);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -0, 1, -1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 31, 1e-320, 100_000]);
    case 3:
    case 4:
    case 5:
      return hostileText(random);
    case 6:
      return random.times(4, () => hostileValue(random, depth - 1));
    case 7:
      return deep(random);
    default:
      return hostileObject(random, depth);
  }
}

function hostileObject(random: Random, depth: number): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (let left = random.below(5); left > 0; left -= 1) {
    const key = random.chance(0.5)
      ? random.pick(["a", "value", "path", "raw", "answer", "task_id", "$blob", "__proto__", "constructor"])
      : hostileText(random);
    Object.defineProperty(made, key, { value: hostileValue(random, depth - 1), enumerable: true, writable: true, configurable: true });
  }
  return made;
}

function deep(random: Random): unknown {
  let value: unknown = "x";
  for (let left = random.below(random.chance(0.1) ? 2_000 : 60); left > 0; left -= 1) value = random.chance(0.5) ? [value] : { a: value };
  return value;
}
