import { expect, test } from "vitest";
import { type Caller, HandOuts } from "./caller.ts";
import type { Position } from "./commands/next.ts";

const agent = (session: string): Caller => ({ holder: { kind: "agent", name: "a", session }, surface: "test", leaseOwner: session });
const shown = (id: string, run = "r"): Pick<Position, "run" | "standing"> => ({
  run,
  standing: { kind: "action", action: { id } } as Position["standing"],
});

test("what was shown is known for that caller and run until it is reported", () => {
  const handOuts = new HandOuts();
  handOuts.show(agent("one"), shown("a1"));
  handOuts.show(agent("one"), { run: "r", standing: { kind: "question", decision: { id: "d2" } } as Position["standing"] });
  handOuts.show(agent("one"), { run: "r", standing: { kind: "working", on: "x" } });
  const known = (caller: Caller, run: string): readonly boolean[] => ["a1", "d2", "x"].map((id) => handOuts.isShown(caller, run, id));
  expect([known(agent("one"), "r"), known(agent("two"), "r"), known(agent("one"), "other")]).toEqual([
    [true, true, false],
    [false, false, false],
    [false, false, false],
  ]);
  handOuts.reported(agent("one"), "r", "a1");
  expect(known(agent("one"), "r")).toEqual([false, true, false]);
});

test("the same words again are the same report, until something is asked for or said", () => {
  const handOuts = new HandOuts();
  const about = { action: "a1", step: "s" };
  handOuts.said(agent("one"), "r", "done", about);
  expect(handOuts.saidBefore(agent("one"), "r", "done")).toEqual(about);
  expect([handOuts.saidBefore(agent("one"), "r", "other"), handOuts.saidBefore(agent("two"), "r", "done")]).toEqual([undefined, undefined]);
  handOuts.asked(agent("one"), "r");
  expect(handOuts.saidBefore(agent("one"), "r", "done")).toBeUndefined();
});

test("of very many callers the oldest are forgotten, and those in use are kept", () => {
  const handOuts = new HandOuts();
  for (let index = 0; index < 1500; index += 1) {
    handOuts.show(agent("busy"), shown("a1"));
    handOuts.show(agent(`s${index}`), shown("a1"));
  }
  const kept = ["busy", "s0", "s400", "s600", "s1499"].map((session) => handOuts.isShown(agent(session), "r", "a1"));
  expect(kept).toEqual([true, false, false, true, true]);
});
