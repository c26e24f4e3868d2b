// @ts-check
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadRooms } from "../docs/load-rooms.mjs";

/** @typedef {{ ours: number, theirs: number, both: number, either: number, apart: string[] }} Alike */

/** Files that neither counts: nobody writes them. */
const left = /** @type {const} */ (["generated", "vendored", "minified", "declarations"]);
const scripts = /\.(?:[mc]?[jt]s|[jt]sx)$/;

/**
 * Lines with `any` and with `==` that we find, and those that oxlint finds.
 *
 * @param {{ folder: string, migration: readonly { file: string, line: number, rule: string }[], oxlint: string, config: string }} tree
 * @returns {Promise<Record<string, Alike>>}
 */
export async function compareWithLinter({ folder, migration, oxlint, config }) {
  const { kindByPath, kindByText, languageOf } = await loadRooms();
  /** @type {Map<string, boolean>} */
  const counted = new Map();
  /** @param {string} file */
  const counts = async (file) => {
    const known = counted.get(file);
    if (known !== undefined) return known;
    const text = await readFile(join(folder, file), "utf8");
    const result = scripts.test(file) && kindByPath(file, left) === undefined && kindByText(text, languageOf(file), left) === undefined;
    counted.set(file, result);
    return result;
  };
  const ours = await sorted(
    migration.map(({ file, line, rule }) => ({
      file,
      line,
      rule: rule === "any-type" ? "any" : /^(?:loose-equality|typeof-loose)$/.test(rule) ? "==" : "",
    })),
    counts,
  );
  const theirs = await sorted(await linted(folder, oxlint, config), counts);
  return Object.fromEntries(
    ["any", "=="].map((rule) => {
      const [mine, other] = [ours.get(rule) ?? new Set(), theirs.get(rule) ?? new Set()];
      const both = [...mine].filter((line) => other.has(line)).length;
      const either = new Set([...mine, ...other]);
      const apart = [...either].filter((line) => !mine.has(line) || !other.has(line));
      return [rule, { ours: mine.size, theirs: other.size, both, either: either.size, apart }];
    }),
  );
}

/**
 * @param {readonly { file: string, line: number, rule: string }[]} places
 * @param {(file: string) => Promise<boolean>} counts
 * @returns {Promise<Map<string, Set<string>>>} lines by rule
 */
async function sorted(places, counts) {
  /** @type {Map<string, Set<string>>} */
  const lines = new Map();
  for (const { file, line, rule } of places) {
    if (rule === "" || !(await counts(file))) continue;
    const held = lines.get(rule) ?? new Set();
    held.add(`${file}:${line}`);
    lines.set(rule, held);
  }
  return lines;
}

/**
 * @param {string} folder
 * @param {string} oxlint
 * @param {string} config
 * @returns {Promise<readonly { file: string, line: number, rule: string }[]>}
 */
function linted(folder, oxlint, config) {
  const args = [oxlint, "--no-ignore", "--disable-nested-config", "-c", config, "-f", "json", "."];
  return new Promise((done, refuse) => {
    // It ends with 1 when it finds something.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 512 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout === "") return refuse(new Error(`oxlint found nothing to say in ${folder}: ${stderr}`, { cause: error }));
      /** @type {{ diagnostics: { code?: string, filename: string, labels: { span: { line: number } }[] }[] }} */
      const { diagnostics } = JSON.parse(stdout);
      done(
        diagnostics.flatMap(({ code = "", filename, labels }) => {
          const rule = code.includes("no-explicit-any") ? "any" : code.includes("eqeqeq") ? "==" : "";
          return labels[0] === undefined ? [] : [{ file: filename, line: labels[0].span.line, rule }];
        }),
      );
    });
  });
}
