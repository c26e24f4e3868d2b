import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRules } from "../compile-rules.ts";
import { scanBytes } from "../scan-file.ts";

const plain = { name: "", description: "", contextLines: 0, rules: [], transformations: [] };

/** `line:column type` of what a finder finds. */
function found(finder: string, text: string, path = "a.ts"): readonly string[] {
  const rules = compileRules({ patterns: [{ ...plain, id: "p", finder }] });
  const { instances, problems } = scanBytes(Buffer.from(text), path, rules);
  expect(problems).toEqual([]);
  return instances.map(({ line, column, type }) => `${line}:${column} ${type}`);
}

const none: readonly string[] = [];

describe("any-type", () => {
  test.each([
    ["let a: any;", ["1:8 annotation"]],
    ["let a = b as any;", ["1:14 cast"]],
    ["type T = any;", ["1:10 type_argument"]],
    ["function f<T = any>(): any {}", ["1:16 type_argument", "1:24 annotation"]],
    ["function f<T extends any>(a?: any, ...rest: any[]) {}", ["1:22 type_argument", "1:31 annotation", "1:45 annotation"]],
    ["type F = (a: string) => any;", ["1:25 type_argument"]],
    ["const a: Map<string, any> = new Map<string, any>();", ["1:22 type_argument", "1:45 type_argument"]],
    ["type T = [string, any, ...any[]];", ["1:19 type_argument", "1:27 type_argument"]],
    ["type T = string | any & keyof any;", ["1:19 type_argument", "1:31 type_argument"]],
    ["type T<X> = X extends any ? any : never;", ["1:23 type_argument", "1:29 type_argument"]],
    ["const f = (a): any => b;", ["1:16 annotation"]],
    ["const a = <any>b;", ["1:12 type_argument"]],
    ["type T = (any | string)[] | readonly any[];", ["1:11 type_argument", "1:38 type_argument"]],
    ["function f(a): a is any {}", ["1:21 type_argument"]],
    ["const f = (a = b as any) => `${c as any}`;", ["1:21 cast", "1:37 cast"]],
  ])("%j", (text, places) => expect(found("any-type", text)).toEqual(places));

  test.each([
    "// any\n/* let a: any */",
    'const a = "x as any";',
    "import { any, all } from './promises';",
    "any(a, b);",
    "const f = any => any.length; list.map(any => 5);",
    "const a = any(b);",
    "object.any = 5;",
    "const a = { any: 1, all: 2 };",
    "const { any } = this;",
    "if (a == any) {}",
    "const anything: anyone = company;",
    "interface A { [any: string]: number; any(): void; any?: string }",
  ])("%j has none", (text) => expect(found("any-type", text)).toEqual(none));

  test("only in TypeScript", () => expect(found("any-type", "let a: any;", "a.js")).toEqual(none));
});

describe("empty-catch", () => {
  test.each([
    ["try { a(); } catch {}", ["1:14 block"], "a.ts"],
    ["try { a(); } catch (e) { }\n", ["1:14 block"], "a.js"],
    ["try { a(); } catch (e) {\n\n}\n", ["1:14 block"], "a.tsx"],
    ["try { a(); } catch (e) {\n  //\n}\n", ["1:14 block"], "a.ts"],
    ["try { a(); } catch (Exception e) {}", ["1:14 block"], "A.java"],
    ["try:\n    a()\nexcept:\n    pass\n", ["3:1 python"], "a.py"],
    ["try:\n    a()\nexcept Exception as e:\n    pass\n", ["3:1 python"], "a.py"],
    ["try:\n    a()\nexcept (ValueError, Exception): pass\n", ["3:1 python"], "a.py"],
  ])("%j", (text, places, path) => expect(found("empty-catch", text, path)).toEqual(places));

  test.each([
    ["try { a(); } catch { /* gone already */ }", "a.ts"],
    ["try { a(); } catch (e) {\n  // It may be closed.\n}", "a.ts"],
    ["try { a(); } catch (e) { throw e; }", "a.ts"],
    ["promise.catch(() => {});", "a.ts"],
    ["const text = 'catch (e) {}'; // catch {}", "a.ts"],
    ["class A { catch() {} }\nobject.catch({});", "a.ts"],
    ["try:\n    a()\nexcept KeyError:\n    pass\n", "a.py"],
    ["try:\n    a()\nexcept Exception:\n    # It is gone.\n    pass\n", "a.py"],
    ["try:\n    a()\nexcept Exception:\n    pass  # It is gone.\n", "a.py"],
    ["try:\n    a()\nexcept Exception:\n    log()\n", "a.py"],
  ])("%j has none", (text, path) => expect(found("empty-catch", text, path)).toEqual(none));
});

describe("debugger", () => {
  test.each([
    ["debugger;", ["1:1 stop"], "a.ts"],
    ["if (a) debugger\nb();", ["1:8 stop"], "a.js"],
    ["import pdb; pdb.set_trace()\nbreakpoint()\n", ["1:13 stop", "2:1 stop"], "a.py"],
  ])("%j", (text, places, path) => expect(found("debugger", text, path)).toEqual(places));

  test.each([
    ["// debugger;\nconst a = { debugger: true };\nb.debugger;\nimport debugger_ from 'debugger';", "a.ts"],
    ["def breakpoint():\n    pass\nself.breakpoint()\n", "a.py"],
  ])("%j has none", (text, path) => expect(found("debugger", text, path)).toEqual(none));
});

describe("dynamic-code", () => {
  test.each([
    ["eval(text);", ["1:1 code"], "a.ts"],
    ["window.eval(`${a}`);", ["1:8 code"], "a.js"],
    ["new Function('a', 'return ' + body)();", ["1:1 code"], "a.js"],
    ["import { execSync } from 'node:child_process';\nexecSync(`git tag ${name}`);", ["2:1 shell"], "a.ts"],
    ["const cp = require('child_process');\ncp.exec('rm ' + path, done);", ["2:4 shell"], "a.js"],
    ["eval(text)\nos.system('rm ' + path)\n", ["1:1 code", "2:1 shell"], "a.py"],
    ["subprocess.run(f'rm {path}', shell=True)\n", ["1:1 shell"], "a.py"],
  ])("%j", (text, places, path) => expect(found("dynamic-code", text, path)).toEqual(places));

  test.each([
    ["eval('1 + 1');\nnew Function('return 1');\npattern.exec(text);\nfunction evaluate(a) {}\nmodel.eval(a);", "a.ts"],
    ["import { execSync } from 'child_process';\nexecSync('npm ci');\nexecSync(command);", "a.ts"],
    ["database.exec(`DELETE ${a}`);", "a.ts"],
    [
      "import ast\nexec(code, restricted_globals)\neval(compile_restricted(code))\nast.literal_eval(text)\nmodel.eval()\nos.system('ls')\nsubprocess.run(['rm', path], shell=True)\n",
      "a.py",
    ],
    ["class A:\n    def eval(self, a):\n        return a\n", "a.py"],
  ])("%j has none", (text, path) => expect(found("dynamic-code", text, path)).toEqual(none));
});

describe("sql-text", () => {
  test.each([
    ['query("SELECT * FROM orders WHERE customer = \'" + customer + "\'");', ["1:7 joined"], "a.ts"],
    ["query(`select * from users where id = ${user.id}`);", ["1:7 joined"], "a.ts"],
    ["query(`UPDATE users SET name = '${name}' WHERE id = ?`, [id]);", ["1:7 joined"], "a.ts"],
    ["query('DELETE FROM users WHERE id = ' + id);", ["1:7 joined"], "a.js"],
    ["cursor.execute(f\"SELECT * FROM users WHERE name = '{name}'\")\n", ["1:16 joined"], "a.py"],
    ["cursor.execute(\"SELECT * FROM users WHERE name = '%s'\" % name)\n", ["1:16 joined"], "a.py"],
    ["cursor.execute(\"SELECT * FROM users WHERE name = '{}'\".format(name))\n", ["1:16 joined"], "a.py"],
    ['db.Query(fmt.Sprintf("SELECT * FROM users WHERE id = %s", id))', ["1:22 joined"], "a.go"],
  ])("%j", (text, places, path) => expect(found("sql-text", text, path)).toEqual(places));

  test.each([
    ["query('SELECT * FROM users WHERE id = ?', [id]);", "a.ts"],
    ["query(sql`SELECT * FROM users WHERE id = ${id}`);", "a.ts"],
    ["query(`SELECT * FROM ${table} WHERE id = ?`, [id]);", "a.ts"],
    ["const marks = ids.map(() => '?').join(',');\nquery(`DELETE FROM users WHERE id IN (${marks})`, ids);", "a.ts"],
    ["query(`SELECT * FROM users WHERE id = ${MAX_ID}`);", "a.ts"],
    ["query(`SELECT * FROM users WHERE name = ${escape(name)}`);", "a.ts"],
    ["say(`Select a file from ${folder} where you want`);", "a.ts"],
    ["say('Update the settings of ' + name); // SELECT * FROM a WHERE b = ${c}", "a.ts"],
    ["say(`delete from ${name} where it says so`);", "a.ts"],
    ['cursor.execute("SELECT * FROM users WHERE id = %s", (id,))\n', "a.py"],
    ['cursor.execute("SELECT * FROM users WHERE a = {}".format("%s"), (id,))\n', "a.py"],
    ['cursor.execute("insert into {t} (a) values ({v})".format(t=t, v=",".join(["?"] * 2)), row)\n', "a.py"],
    ["query(`SELECT * FROM users LIMIT ${size}`);", "a.ts"],
  ])("%j has none", (text, path) => expect(found("sql-text", text, path)).toEqual(none));
});

test.each(["any-type", "empty-catch", "debugger", "dynamic-code", "sql-text", "secret"])(
  "%s takes any text, and every place is in it",
  (finder) => {
    const words = [
      "any",
      "catch",
      "(",
      ")",
      "{",
      "}",
      "=>",
      "except",
      ":",
      "pass",
      "eval",
      "`SELECT a FROM b WHERE c = ${",
      "}`",
      '"',
      "'",
      "\n",
      "f'{",
      "debugger",
      ";",
      "password",
      "=",
    ];
    const text = fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 6 })), { maxLength: 30 })
      .map((parts) => parts.join(" "));
    fc.assert(
      fc.property(text, fc.constantFrom("a.ts", "a.py", "a.js", "a.java"), (source, path) => {
        const rules = compileRules({ patterns: [{ ...plain, id: "p", finder }] });
        const { instances, problems } = scanBytes(Buffer.from(source), path, rules);
        const size = Buffer.byteLength(Buffer.from(source).toString());
        return problems.length === 0 && instances.every(({ start, end }) => start < end && end <= size);
      }),
      { numRuns: 300 },
    );
  },
);
