import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendHistory, readHistory, type HistoryEntry } from "./approve-design-history.ts";
import { isSessionName, sessionName, slugOf } from "./session-name.ts";

describe("a session name", () => {
  test.each([
    ["Fix the login of the shop", "fix-login-shop"],
    ["Füge einen Dark-Mode hinzu, bitte sofort", "fuge-einen-dark-mode"],
    ["Don't panic", "dont-panic"],
    ["Refactor", "refactor-session"],
    ["the a", "the-a"],
    ["修复登录", "new-session"],
    ["../../etc/passwd", "etc-passwd"],
  ])("%j becomes %s", (about, slug) => expect(slugOf(about)).toBe(slug));

  test("has the date before it, and a number behind it when it is taken", () => {
    expect(sessionName("2026-03-02T10:15:00Z", "fix login", [])).toBe("2026-03-02_fix-login");
    expect(sessionName("2026-03-02", "fix login", ["2026-03-02_Fix-Login"])).toBe("2026-03-02_fix-login-2");
    expect(sessionName("2026-03-02", "fix login", ["2026-03-02_fix-login", "2026-03-02_fix-login-2"])).toBe("2026-03-02_fix-login-3");
    expect(sessionName("2026-02-30", "fix login", [])).toBeUndefined();
    expect(sessionName("today", "fix login", [])).toBeUndefined();
  });

  test("is always one, whatever it is about", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(5), (about, twins) => {
        const taken: string[] = [];
        for (let index = 0; index <= twins; index++) taken.push(sessionName("2026-03-02", about, taken) ?? "");
        expect(new Set(taken).size).toBe(twins + 1);
        for (const name of taken) expect(isSessionName(name), name).toBe(true);
      }),
    );
  });

  test.each([
    "2026-03-02_x",
    "2026-3-2_fix-login",
    "fix-login",
    "2026-03-02_Fix-Login",
    "2026-03-02_a-b-c-d-e",
    "2026-13-02_fix-login",
    "2026-03-02_fix--login",
  ])("%s is none", (name) => expect(isSessionName(name)).toBe(false));
});

describe("the history of a design", () => {
  const entry: HistoryEntry = {
    at: "2026-03-02T10:15:00.000Z",
    decision_id: "UD-APPROVE-DESIGN",
    answer: "changes-requested: smaller",
    state_context: "APPROVE_DESIGN",
  };

  test("grows by a line, and keeps what is there", () => {
    const one = appendHistory("", entry);
    expect(one).toBe(
      '{"at":"2026-03-02T10:15:00.000Z","decision_id":"UD-APPROVE-DESIGN","answer":"changes-requested: smaller","state_context":"APPROVE_DESIGN"}\n',
    );
    const torn = appendHistory(`${one}{"at":"20`, entry);
    expect(torn).toBe(`${one}{"at":"20\n${one}`);
    expect(readHistory(torn)).toMatchObject({ entries: [entry, entry], problems: [{ code: "MACHINE_HISTORY_LINE", place: { line: 2 } }] });
  });

  test("is read as it was written", () => {
    const any = fc.record({ answer: fc.string({ unit: "binary" }), decision_id: fc.string() }).map((fields) => ({ ...entry, ...fields }));
    fc.assert(
      fc.property(fc.array(any), (list) => {
        expect(readHistory(list.reduce(appendHistory, ""))).toEqual({ entries: list, problems: [] });
      }),
    );
  });

  test("tells what is no entry, and never throws", () => {
    expect(
      readHistory(
        '\uFEFF{"at":"2026-03-02T10:15:00+02:00","decision_id":"x","answer":"y","state_context":"PLAN"}\r\n{}\r\n[]\r\n',
      ).problems.map(({ code }) => code),
    ).toEqual(["MACHINE_BYTE_MARK", "MACHINE_LINE_ENDINGS", "MACHINE_TIME_FORM", "MACHINE_HISTORY_LINE", "MACHINE_HISTORY_LINE"]);
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readHistory(text)));
  });
});
