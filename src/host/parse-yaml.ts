import type { Diagnostic, Place } from "../base/index.ts";
import { loadYaml } from "./load-yaml.ts";

export interface ParsedYaml {
  /** undefined when there are problems. */
  readonly value: unknown;
  readonly problems: readonly Diagnostic[];
  /** Where the value at this path stands in the file. */
  placeOf(path: readonly (string | number)[]): Place | undefined;
}

/** YAML with places, for files that are not workflows; all syntax problems come back together. */
export async function parseYaml(text: string, file: string): Promise<ParsedYaml> {
  const { LineCounter, isNode, parseDocument } = await loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const placeAt = (start: number, end: number): Place => {
    const from = lines.linePos(start);
    const to = lines.linePos(end);
    return { file, line: from.line, column: from.col, endLine: to.line, endColumn: to.col };
  };
  const problems: Diagnostic[] = document.errors.map((error) => ({
    code: "HOST_YAML",
    severity: "error",
    message: `${error.message.split("\n")[0] ?? "This is not YAML"}.`.replace(/\.\.$/, "."),
    fix: "Correct the YAML at the place named.",
    place: placeAt(...error.pos),
  }));
  let value: unknown;
  try {
    if (problems.length === 0) value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    problems.push({
      code: "HOST_YAML",
      severity: "error",
      message: (error as Error).message,
      fix: "Use fewer aliases.",
      place: placeAt(0, 0),
    });
  }
  return {
    value,
    problems,
    placeOf: (path) => {
      const node = path.length === 0 ? document.contents : document.getIn(path, true);
      return isNode(node) && node.range ? placeAt(node.range[0], node.range[1]) : undefined;
    },
  };
}
