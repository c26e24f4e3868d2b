import { expect, test } from "vitest";
import { readSignal } from "./read-signal.ts";

test("a tag anywhere gives the signal, in any case, and is taken out", () => {
  expect(readSignal("Done <Promise> OK </PROMISE> now.", "OK")).toEqual({ done: true, output: "Done  now." });
  expect(readSignal("<promise>OK</promise>\n<promise>OK</promise>", "OK")).toEqual({ done: true, output: "" });
});

test("the signal alone on the last line gives it, and is taken out", () => {
  expect(readSignal("All done.\r\n  OK \n\n", "OK")).toEqual({ done: true, output: "All done." });
});

test("an answer that is nothing but the signal is its output too", () => {
  expect(readSignal(" OK\n", "OK")).toEqual({ done: true, output: "OK" });
});

test("a sentence that ends with the signal, or mentions it, does not give it", () => {
  for (const answer of ["not replying OK", "OK\nbut not yet", "ok", "<promise>OKAY</promise>", ""])
    expect(readSignal(answer, "OK"), answer).toEqual({ done: false, output: answer });
});
