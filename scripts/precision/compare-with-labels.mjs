// @ts-check
import { readFile } from "node:fs/promises";

/**
 * @typedef {{ repository: string, file: string, line: number, rule: string, severity?: string }} Place
 * @typedef {Place & { verdict: "right" | "wrong" }} Label
 * @typedef {{ found: number, right: number, wrong: number, unlabelled: number, missed: number }} Row
 */

/**
 * Each place was judged twice, by two who did not see what the other said; a place is `right` only where both said so.
 *
 * @param {string} path
 * @returns {Promise<readonly Label[]>}
 */
export async function readLabels(path) {
  const [head = "", ...lines] = (await readFile(path, "utf8")).trimEnd().split("\n");
  const names = head.split("\t");
  return lines.map((line, index) => {
    const cells = Object.fromEntries(line.split("\t").map((cell, column) => [names[column] ?? "", cell]));
    const { repository = "", file = "", rule = "", first, second, verdict } = cells;
    const judged = [first, second, verdict].every((each) => each === "right" || each === "wrong");
    if (!judged || (first === second && verdict !== first) || !/^\d+$/.test(cells["line"] ?? ""))
      throw new Error(`${path}:${index + 2}: a label needs a line, two judgements and a verdict that follows from them: ${line}`);
    return { repository, file, line: Number(cells["line"]), rule, verdict: /** @type {"right" | "wrong"} */ (verdict) };
  });
}

/** @param {Place} place */
function nameOf({ repository, file, line, rule }) {
  return `${repository}/${file}:${line} ${rule}`;
}

/**
 * @param {readonly Place[]} found
 * @param {readonly Label[]} labels
 * @param {ReadonlySet<string>} present repositories that were scanned
 */
export function compareWithLabels(found, labels, present) {
  const known = new Map(labels.map((label) => [nameOf(label), label.verdict]));
  const seen = new Set(found.map(nameOf));
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** @param {string} rule */
  const rowOf = (rule) => {
    const row = rows.get(rule) ?? { found: 0, right: 0, wrong: 0, unlabelled: 0, missed: 0 };
    rows.set(rule, row);
    return row;
  };
  const unlabelled = [];
  const critical = [];
  for (const place of found) {
    const row = rowOf(place.rule);
    const verdict = known.get(nameOf(place));
    row.found += 1;
    row[verdict ?? "unlabelled"] += 1;
    if (verdict === undefined) unlabelled.push(nameOf(place));
    if (verdict === "wrong" && place.severity === "critical") critical.push(nameOf(place));
  }
  for (const label of labels)
    if (label.verdict === "right" && present.has(label.repository) && !seen.has(nameOf(label))) rowOf(label.rule).missed += 1;
  const sum = (/** @type {keyof Row} */ key) => [...rows.values()].reduce((all, row) => all + row[key], 0);
  return { rows, right: sum("right"), wrong: sum("wrong"), missed: sum("missed"), unlabelled, critical };
}
