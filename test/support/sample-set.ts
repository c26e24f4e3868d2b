import { basename, dirname, join } from "node:path";
import { importKey, type SourceSet as StepsSet } from "../../src/source/index.ts";
import { referencesOf } from "./all-dialects.ts";
import type { SampleFiles } from "./calling-samples.ts";

type Main = StepsSet["main"];

/** A workflow among sample files; a bot stands at its configuration, with its folder. */
export function sampleFile(files: SampleFiles, name: string): Main | undefined {
  const bot = `.waymark/workflows/${name}/`;
  const path = Object.keys(files).find((each) => each === `${bot}bot_config.json` || basename(each).split(".")[0] === name);
  if (path === undefined) return undefined;
  const inside = Object.entries(files).filter(([each]) => each.startsWith(bot));
  const held = inside.map(([each, text]) => ({ path: each.slice(bot.length), text }));
  return { path, text: files[path] ?? "", name, source: "project", ...(held.length === 0 ? {} : { files: held }) };
}

/** The set of files that a catalog would gather for the first of these workflows. */
export function sampleSet(files: SampleFiles, names: readonly string[]): StepsSet {
  const found = names.flatMap((name) => sampleFile(files, name) ?? []);
  const [main, ...others] = found;
  if (main === undefined) throw new Error(`There is no ${names[0] ?? ""} among ${Object.keys(files).join(", ")}.`);
  const imports = found.flatMap((file) =>
    referencesOf(file)
      .files.flat()
      .map((reference): [string, { path: string; text: string }] => {
        const path = join(dirname(file.path), reference);
        return [importKey(file.path, reference), { path, text: files[path] ?? "" }];
      }),
  );
  const called = Object.fromEntries([...others, main].map((file) => [file.name, file]));
  return { main, imports: Object.fromEntries(imports), workflows: called, known: found.map(({ name }) => name) };
}
