/**
 * JavaScript that lives inside the interpreter, evaluated once before any author's code. It captures what it needs, so
 * code that replaces a built-in harms only itself; everything such code changed is undone after the call.
 *
 * `run` answers how the call ended, in the words of `CallReply`.
 */
export const guestSource: string = String.raw`(() => {
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const Compile = Function, Later = Promise, Text = String, Bug = InternalError;
  const kept = new Map(), ready = [];

  const describe = (error) => {
    try {
      if (typeof error !== "object" || error === null || !("message" in error)) return Text(error);
      const name = Text(error.name), message = Text(error.message);
      return message === "" ? name : name + ": " + message;
    } catch {
      return "an error that cannot be shown as text";
    }
  };
  const spent = (error) => error instanceof Bug && error.message === "out of memory";

  const encode = (value) => {
    if (value instanceof Later) return "RThe result is a promise, and asynchronous code is not supported here. Write it without async, await and then.";
    try {
      return "V" + (stringify(value) ?? "null");
    } catch (error) {
      if (spent(error)) return "M";
      const text = describe(error);
      if (/circular/i.test(text)) return "RThe result contains itself, which JSON cannot carry. Return a copy without the cycle.";
      if (/bigint/i.test(text)) return "RThe result holds a BigInt, which JSON cannot carry. Return Number(value) or String(value).";
      return "RThe result could not be turned into JSON: " + text;
    }
  };

  return {
    /** "code" is text, or the number of a body that was compiled before. */
    run(code, names, values, places) {
      let body;
      if (names === undefined) {
        body = ready[code];
      } else {
        try {
          body = Compile(names, code);
        } catch (error) {
          return spent(error) ? "M" : "S" + describe(error);
        }
      }
      try {
        const given = parse(values);
        if (places !== undefined) {
          for (const [index, id] of parse(places)) {
            if (!kept.has(id)) return "XA kept value is missing.";
            given[index] = kept.get(id);
          }
        }
        return encode(apply(body, undefined, given));
      } catch (error) {
        return spent(error) ? "M" : "T" + describe(error);
      }
    },
    keepJson(id, text) { kept.set(id, parse(text)); },
    keepText(id, text) { kept.set(id, text); },
    drop(id) { kept.delete(id); },
    compile(code, names) { ready.push(Compile(names, code)); },
  };
})()`;
