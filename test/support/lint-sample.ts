import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const bin = join(import.meta.dirname, "../../node_modules/.bin");

/** Puts the real oxlint and TypeScript compiler of this repository into a workspace, as an installation would. */
export async function installTools(workspace: string, tools: readonly string[] = ["oxlint", "tsc"]): Promise<void> {
  await mkdir(join(workspace, "node_modules/.bin"), { recursive: true });
  for (const tool of tools) await symlink(join(bin, tool), join(workspace, "node_modules/.bin", tool));
}

/** A linter with fixes, which the others do not offer in their output: it writes ESLint's JSON about `var`, without counting a byte order mark. */
const varLinter = String.raw`#!/usr/bin/env node
const { readdirSync, readFileSync } = require("node:fs");
const { join, resolve } = require("node:path");
const named = process.argv[process.argv.length - 1];
const files = named === "." ? readdirSync("src").map((name) => join("src", name)) : [named];
const results = files.map((file) => {
  const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  const messages = [...text.matchAll(/\bvar (?=v)/g)].map(({ index }) => {
    const line = text.slice(0, index).split("\n").length;
    const column = index - text.lastIndexOf("\n", index - 1);
    const fix = { range: [index, index + 3], text: "const" };
    return { ruleId: "no-var", severity: 1, message: "Unexpected var, use let or const instead.", line, column, endLine: line, endColumn: column + 3, fix };
  });
  return { filePath: resolve(file), messages, suppressedMessages: [], errorCount: 0, warningCount: messages.length };
});
process.stdout.write(JSON.stringify(results));
process.exitCode = results.some(({ messages }) => messages.length > 0) ? 1 : 0;
`;

export async function installVarLinter(workspace: string): Promise<void> {
  const file = join(workspace, "node_modules/.bin/eslint");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, varLinter);
  await chmod(file, 0o755);
  await writeFile(join(workspace, "eslint.config.cjs"), "module.exports = [];\n");
}

/** Files with findings that are planted: half of them oxlint's, half the compiler's, and one `var` each. */
export function plantedFiles(files: number, inEach: number): Record<string, string> {
  const planted = (at: number): string =>
    [`  debugger; // ${at}`, `  const s${at}: string = ${at}; use(s${at});`, `  const unused${at} = ${at};`, `  missing${at}();`][at % 4] ??
    "";
  const text = (name: string): string => {
    const lines = Array.from({ length: inEach }, (_, at) => planted(at));
    return [
      `import { use } from "./use.ts";`,
      `export function ${name}(): void {`,
      `  var v${name} = 1; use(v${name});`,
      ...lines,
      "}",
      "",
    ].join(name.endsWith("1") ? "\r\n" : "\n");
  };
  const made = Array.from({ length: files }, (_, at) => [`src/f${at}.ts`, `${at % 5 === 0 ? "\uFEFF" : ""}${text(`f${at}`)}`]);
  return {
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        module: "esnext",
        moduleResolution: "bundler",
        target: "es2022",
        types: [],
      },
      include: ["src"],
    }),
    ".gitignore": "node_modules\n",
    "src/use.ts": "export function use(value: unknown): void {\n  void value;\n}\n",
    ...Object.fromEntries(made),
  };
}

/** What an honest agent does about a finding: its line is written as it should be. */
export async function fixLine(workspace: string, file: string, line: number): Promise<void> {
  const path = join(workspace, file);
  const text = await readFile(path, "utf8");
  const lines = text.split("\n");
  const end = (lines[line - 1] ?? "").endsWith("\r") ? "\r" : "";
  lines[line - 1] = `${fixed((lines[line - 1] ?? "").trimEnd())}${end}`;
  await writeFile(path, lines.join("\n"));
}

function fixed(line: string): string {
  return line
    .replace(/debugger;/, ";")
    .replace(/: string = (\d+);/, " = $1;")
    .replace(/const unused(\d+) = \d+;/, "use($1);")
    .replace(/missing(\d+)\(\);/, "use($1);")
    .replace(/\bvar v/, "const v");
}
