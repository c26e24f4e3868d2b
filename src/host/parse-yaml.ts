// `yaml` has two homes, the dialects and this room: configuration files are YAML too.
import type * as Yaml from "yaml";
import type { Diagnostic, Place } from "../base/index.ts";
import { fixOf } from "./codes.ts";

export interface ParsedYaml {
  /** undefined when there are problems. */
  readonly value: unknown;
  readonly problems: readonly Diagnostic[];
  /** Where the value at this path is in the file. */
  placeOf(path: readonly (string | number)[]): Place | undefined;
}

/** Loads the package when a file needs it. It is CommonJS: only its default export is there both in a bundle and without one. */
export async function loadYaml(): Promise<typeof Yaml.default> {
  return (await import("yaml")).default;
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
  const problem = (message: string, place: Place, fix: string): Diagnostic => ({
    code: "HOST_YAML",
    severity: "error",
    message,
    fix,
    place,
  });
  const problems = document.errors.map(({ message, pos }) =>
    problem(`${message.split("\n")[0] ?? "This is not YAML"}.`.replace(/\.\.$/, "."), placeAt(...pos), fixOf("HOST_YAML")),
  );
  let value: unknown;
  try {
    if (problems.length === 0) value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    problems.push(problem((error as Error).message, placeAt(0, 0), "Use fewer aliases."));
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
