// @ts-check
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../run-tool.mjs";

/**
 * What a dialect's `features.yaml` holds. A test is written as `name › title`; the name is the end of one test file's path.
 *
 * @typedef {{ feature: string, tests: string[] }} Row
 * @typedef {{ title: string, intro?: string, rows?: Row[] }} Section
 * @typedef {{ page: string, title: string, intro: string, sections: Section[] }} Features
 */

const dialects = join(root, "src", "dialects");

/**
 * The page of features of every dialect that lists them in `features.yaml`, by file name.
 *
 * @returns {Record<string, () => Promise<string>>}
 */
export function featuresPages() {
  return Object.fromEntries(
    readdirSync(dialects)
      .map((name) => join(dialects, name, "features.yaml"))
      .filter((file) => existsSync(file))
      .map((file) => {
        /** @type {Features} */
        const features = parse(readFileSync(file, "utf8"));
        return [features.page, async () => featuresPage(features)];
      }),
  );
}

/** @param {Features} features */
function featuresPage({ title, intro, sections }) {
  const parts = [`# ${title}`, intro.trim(), ...sections.flatMap(sectionParts)];
  return `${parts.join("\n\n")}\n`;
}

/** @param {Section} section */
function sectionParts({ title, intro, rows }) {
  const table = rows === undefined ? [] : [["| feature | proven by |", "|---|---|", ...rows.map(rowLine)].join("\n")];
  return [`## ${title}`, ...(intro === undefined ? [] : [intro.trim()]), ...table];
}

/** @param {Row} row */
function rowLine({ feature, tests }) {
  const proofs = tests.map((test) => cell(test.replace(/^(\S+) › /, "`$1` › ")));
  return `| ${cell(feature)} | ${proofs.join("<br>")} |`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|");
}
