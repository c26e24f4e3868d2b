// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A source file is better split above `aim` and refused above `most`. */
export const lineBudget = { aim: 300, most: 400 };

/**
 * Line counts of the sources below a folder that are over the aim, longest first. Tests and contract suites have no budget.
 *
 * @param {string} folder
 * @returns {{ file: string, lines: number, refused: boolean }[]}
 */
export function longFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.(?:test|contract)\.ts$/.test(file))
    .map((file) => ({ file: file.replaceAll("\\", "/"), lines: readFileSync(join(folder, file), "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > lineBudget.aim)
    .map((found) => ({ ...found, refused: found.lines > lineBudget.most }))
    .sort((a, b) => b.lines - a.lines);
}
