/** What the sources import from each other, by the look of the text that the formatter keeps regular. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

export interface SourceText {
  /** Path below the repository, with `/`. */
  readonly file: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** Names as the other file exports them; absent for a whole module. */
  readonly names?: readonly string[];
}

/** All TypeScript and JavaScript files below these folders, samples left out. */
export function readSources(...folders: readonly string[]): readonly SourceText[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => /\.(?:ts|mjs)$/.test(file) && !file.includes("/samples/"))
      .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") })),
  );
}

/** Whether the file is product code: neither a test nor a suite that tests share. */
export function isProduct({ file }: Pick<SourceText, "file">): boolean {
  return file.startsWith("src/") && !/\.(?:test|contract|child)\.ts$/.test(file);
}

/** What a file imports or hands on, types included. */
export function importsOf({ file, text }: SourceText): readonly Import[] {
  const at = (specifier: string): string => posix.join(posix.dirname(file), specifier);
  const named = [...text.matchAll(/^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s+from\s+"(\.[^"]+)"/gm)];
  const bare = [...text.matchAll(/^import\s+"(\.[^"]+)"/gm)];
  const taken = [...text.matchAll(/(?:const|let)\s+(\{[^}=]*\})\s*=\s*await import\(\s*"(\.[^"]+)"\s*\)/g)];
  const picked = [...text.matchAll(/await import\(\s*"(\.[^"]+)"\s*\)\)\.(\w+)/g)];
  const later = [...text.matchAll(/\bimport\(\s*"(\.[^"]+)"\s*\)/g)];
  return [
    ...[...named, ...taken].map(([, names = "", from = ""]) => ({ from: at(from), ...namesIn(names) })),
    ...picked.map(([, from = "", name = ""]) => ({ from: at(from), names: [name] })),
    ...[...bare, ...later].map(([, from = ""]) => ({ from: at(from), names: [] })),
  ];
}

function namesIn(list: string): Pick<Import, "names"> {
  if (list.startsWith("*")) return {};
  const names = list.slice(1, -1).split(",");
  return {
    names: names.flatMap((name) => {
      const plain = name
        .trim()
        .replace(/^type\s+/, "")
        .split(/\s+as\s+|\s*:\s*/)[0];
      return plain === undefined || plain === "" ? [] : [plain];
    }),
  };
}

/** Files that reach each other: every group of two or more, the largest first. */
export function circles(sources: readonly SourceText[]): readonly (readonly string[])[] {
  const edges = new Map(sources.map((source) => [source.file, new Set(importsOf(source).map(({ from }) => from))]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file) ?? 0);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group.toSorted());
  };
  for (const file of edges.keys()) if (!index.has(file)) visit(file);
  return found.toSorted((a, b) => b.length - a.length);
}
