/** Everything that the dialects bring, loaded, for tests that put parts of the product together themselves. */
import { dialectEntries, engineDialects, loadDialects, loadDialectTools } from "../../src/bin/dialect-parts.ts";
import type { Catalogue } from "../../src/base/index.ts";
import { createLinker, type Dialect, type FolderFile, type Linker } from "../../src/source/index.ts";
import type { DialectTools } from "../../src/mcp/index.ts";

export const dialects: readonly Dialect[] = await loadDialects();
export const dialectTools: readonly DialectTools[] = await loadDialectTools();
export { dialectCommands } from "../../src/bin/dialect-parts.ts";
export const dialectCodes: Readonly<Record<string, Catalogue>> = Object.fromEntries(
  await Promise.all(dialectEntries.map(async ({ name, codes }) => [name, await codes()] as const)),
);

const linker: Linker = createLinker(dialects);
export const dialectOf = (file: FolderFile): string => linker.dialectOf(file).name;
export const referencesOf: Linker["referencesOf"] = linker.referencesOf;
export const loadWorkflow: Linker["load"] = linker.load;
export const { runtimes } = engineDialects;
