import { Damage, spotIn, type Spot } from "./damage.ts";

const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The damage of a text in quotes that JSON refuses. */
export function damagedText(text: string, begin: Spot): Damage {
  const marks = /[\\\u0000-\u001F]/g;
  let fault = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    fault = mark.index;
    escape.lastIndex = fault;
    if (!escape.test(text)) break;
    marks.lastIndex = escape.lastIndex;
  }
  const expected = text.charAt(fault) === "\\" ? "an escape that JSON knows" : "text without control characters";
  return new Damage(expected, spotIn(text, begin, fault), text.slice(fault));
}
