import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluate, excludedBranches, symbolsOf, type SymbolFacts } from "./al-conditions.ts";
import { readAlTokens } from "./lex-al.ts";

const excluded = (text: string, symbols: SymbolFacts): readonly string[] =>
  excludedBranches(text, readAlTokens(text).directives, symbols).flatMap(
    ({ start, end }) => text.slice(start, end).match(/\bL\d+\b/g) ?? [],
  );

describe("symbols of a version", () => {
  test("CLEAN symbols are defined up to it, those of the app too, and nothing is known of others", () => {
    const of = symbolsOf(24, ["MyOwn"]);
    expect(["clean1", "clean24", "cleanschema24", "clean25", "cleanschema25", "myown", "other"].map(of)).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
      undefined,
    ]);
  });

  test.each<[string, boolean | undefined]>([
    ["CLEAN24", true],
    ["not CLEAN24", false],
    ["Not clean25", true],
    ["CLEAN24 and CLEAN25", false],
    ["CLEAN25 or CLEAN24 and OTHER", undefined],
    ["CLEAN24 or OTHER", true],
    ["not (CLEAN25 or not CLEAN24)", true],
    ["OTHER and not CLEAN24", false],
    ["OTHER", undefined],
    ["CLEAN24 and", undefined],
    ["(CLEAN24", undefined],
    ["CLEAN24 && CLEAN25", undefined],
    ["", undefined],
  ])("%s is %s", (condition, value) => {
    expect(evaluate(condition, symbolsOf(24))).toBe(value);
  });
});

describe("branches", () => {
  test("of #elif and #else, nested ones, defined in the file, and without an end", () => {
    const text = [
      "#if not CLEAN24",
      "L1",
      "#if OTHER",
      "L2",
      "#endif",
      "#elif CLEAN25 // later",
      "L3",
      "#else",
      "L4",
      "#endif",
      "#define Own",
      "#if Own",
      "L5",
      "#else",
      "L6",
      "#endif",
      "#undef own",
      "#if not Own",
      "L7",
      "#else",
      "L8",
    ].join("\n");
    expect(excluded(text, symbolsOf(24))).toEqual(["L1", "L2", "L3", "L6", "L8"]);
    expect(excluded("#endif\nL1\n#else\nL2", symbolsOf(24))).toEqual([]);
  });

  test("for any conditions, nested any way: excluded is what no build has, whatever the unknown symbols are", () => {
    const names = ["CLEAN23", "CLEAN24", "CLEAN25", "A", "B"];
    interface Condition {
      readonly text: string;
      readonly holds: (given: ReadonlySet<string>) => boolean;
    }
    const plain = fc.constantFrom(...names).map((name): Condition => ({ text: name, holds: (given) => given.has(name) }));
    const negated = (inner: fc.Arbitrary<Condition>) =>
      inner.map(({ text, holds }): Condition => ({
        text: `not ${/^[A-Z0-9]+$/.test(text) ? text : `(${text})`}`,
        holds: (given) => !holds(given),
      }));
    const joined = (inner: fc.Arbitrary<Condition>) =>
      fc.tuple(inner, fc.constantFrom("and", "or"), inner).map(([left, word, right]): Condition => ({
        text: `(${left.text}) ${word} (${right.text})`,
        holds: (given) => (word === "and" ? left.holds(given) && right.holds(given) : left.holds(given) || right.holds(given)),
      }));
    const small = fc.oneof(plain, negated(plain), joined(plain));
    const condition = fc.oneof(small, negated(small), joined(small));
    interface Node {
      readonly branches: readonly { readonly condition: Condition; readonly inner: readonly Node[] }[];
      readonly last?: readonly Node[] | undefined;
    }
    const above = (inner: fc.Arbitrary<readonly Node[]>): fc.Arbitrary<Node> =>
      fc.record({
        branches: fc.array(fc.record({ condition, inner }), { minLength: 1, maxLength: 3 }),
        last: fc.option(inner, { nil: undefined }),
      });
    const leaves = above(fc.constant([]));
    const tree = above(fc.array(above(fc.array(leaves, { maxLength: 1 })), { maxLength: 1 }));
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 2 }), (nodes) => {
        let line = 0;
        const out: string[] = [];
        const leaf = (): void => void out.push(`L${(line += 1)}`);
        const write = ({ branches, last }: Node): void => {
          for (const [at, { condition: of, inner }] of branches.entries()) {
            out.push(`${at === 0 ? "#if" : "#elif"} ${of.text}`);
            leaf();
            inner.forEach(write);
          }
          if (last !== undefined) {
            out.push("#else");
            leaf();
            last.forEach(write);
          }
          out.push("#endif");
        };
        nodes.forEach(write);
        const text = out.join("\n");
        const compiled = (given: ReadonlySet<string>): readonly string[] => {
          const kept: string[] = [];
          let number = 0;
          const read = ({ branches, last }: Node, live: boolean): void => {
            let taken = false;
            for (const { condition: of, inner } of branches) {
              const here = live && !taken && of.holds(given);
              taken ||= of.holds(given);
              number += 1;
              if (here) kept.push(`L${number}`);
              inner.forEach((each) => read(each, here));
            }
            if (last === undefined) return;
            number += 1;
            if (live && !taken) kept.push(`L${number}`);
            last.forEach((each) => read(each, live && !taken));
          };
          nodes.forEach((each) => read(each, true));
          return kept;
        };
        const builds = [[], ["A"], ["B"], ["A", "B"]].map((more) => compiled(new Set(["CLEAN23", "CLEAN24", ...more])));
        const left = excluded(text, symbolsOf(24));
        for (const each of left) expect(builds.every((build) => !build.includes(each))).toBe(true);
        // Where every symbol is known, exactly what is not compiled is excluded.
        const all: SymbolFacts = (name) => ["clean23", "clean24", "a"].includes(name);
        const rest = Array.from({ length: line }, (_, at) => `L${at + 1}`).filter((each) => !(builds[1] ?? []).includes(each));
        expect(excluded(text, all)).toEqual(rest);
      }),
      { numRuns: 300 },
    );
  });
});
