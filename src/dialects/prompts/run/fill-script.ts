import { jsonOrText, own, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import { scriptPlaces, type Runtime, type ScriptPlace } from "./script-places.ts";

type Filled = { readonly code: string } | { readonly problem: string };

/**
 * Code with the values that it names (`$fetch.output`), each as data in its place: an expression in the open, escaped in a string, an
 * interpolation in a template. Comments stay as they are. Every character of a value is written as an escape such as `\x61`, which is an
 * error outside of strings: where the place is misread the script fails, and nothing in a value becomes code.
 */
export function fillScript(code: string, values: JsonObject, runtime: Runtime): Filled {
  const names = Object.keys(values).toSorted((a, b) => b.length - a.length);
  const places = scriptPlaces(code, runtime);
  let filled = "";
  let from = 0;
  for (let at = code.indexOf("$"); at >= 0; at = code.indexOf("$", at + 1)) {
    const name = names.find((each) => code.startsWith(each, at + 1) && !/^[A-Za-z0-9_]/.test(code.slice(at + 1 + each.length)));
    if (name === undefined || at < from) continue;
    const place = places(at);
    if (place === "raw")
      return { problem: `\`$${name}\` is in a raw string, where no value can be put safely. Read it outside of the string.` };
    filled += code.slice(from, at) + (place === "comment" ? `$${name}` : placed(own(values, name) ?? null, place, runtime));
    from = at + name.length + 1;
  }
  return { code: filled + code.slice(from) };
}

function placed(value: Json, place: Exclude<ScriptPlace, "comment" | "raw">, runtime: Runtime): string {
  const text = textOf(value);
  const literal = `"${escaped(text, runtime)}"`;
  if (place === "template") return `\${${literal}}`;
  if (place === "string") return literal.slice(1, -1);
  if (typeof jsonOrText(text) === "string") return literal;
  return runtime === "uv" ? `__import__("json").loads(${literal})` : `JSON.parse(${literal})`;
}

/** Python has whole characters, JavaScript the two halves of a large one. */
function escaped(text: string, runtime: Runtime): string {
  const units = runtime === "uv" ? Array.from(text, (each) => each.codePointAt(0)!) : text.split("").map((each) => each.charCodeAt(0));
  return units.map(escape).join("");
}

function escape(unit: number): string {
  const hex = unit.toString(16);
  if (unit < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return unit < 0x1_0000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
