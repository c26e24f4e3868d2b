/** The agent of the examples: it calls the tools of the tool server itself, runs commands, and does to the files what hints say. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { textOf, type Json } from "../../src/base/index.ts";
import type { Doer } from "./seed-examples.ts";

type Tools = Readonly<Record<string, { run(args: unknown): Promise<unknown> }>>;
const toolServer = pathToFileURL(join(import.meta.dirname, "../../examples/tool-server/tools.mjs")).href;

/** Works on the files of a folder; what the user is shown is added to `said`. */
export async function exampleDoer(folder: string, said: string[] = []): Promise<Doer> {
  const { toolsFor } = (await import(toolServer)) as { toolsFor: (folder: string) => Tools };
  const tools = toolsFor(folder);
  return async (step) => {
    const { type, definition } = step;
    if (type === "user_message") return void said.push(textOf(definition["message"]).trim());
    if (type === "state_update") return undefined;
    if (type === "mcp_call") return (await tools[textOf(definition["method"])]?.run(definition["params"])) as Json;
    if (type === "apply_hints")
      return { applied_count: await applyHints(folder, textOf(definition["file"]), definition["hints"] as unknown as readonly Hint[]) };
    if (typeof definition["command"] !== "string") throw new Error(`Nobody knows how to do ${JSON.stringify(step)}`);
    return execFileSync("/bin/sh", ["-c", definition["command"]], { cwd: folder, encoding: "utf8" });
  };
}

interface Hint {
  readonly rule: string;
  readonly find?: string;
  readonly replace?: string;
}

/** What each lint rule wants; hints of the standards bring their own replacement. */
const cures: Readonly<Record<string, (text: string) => string>> = {
  "no-var": (text) => text.replace(/\bvar /g, "let "),
  eqeqeq: (text) => text.replace(/([^=!<>])==(?=[^=])/g, "$1==="),
  "no-console": (text) => text.replace(/^.*\bconsole\.(?:log|debug)\b.*\n/gm, ""),
  "no-explicit-any": (text) => text.replace(/: any\b/g, ": unknown"),
  "no-trailing-space": (text) => text.replace(/[ \t]+$/gm, ""),
  "final-newline": (text) => `${text}\n`,
};

async function applyHints(folder: string, file: string, hints: readonly Hint[]): Promise<number> {
  const path = join(folder, file);
  let text = await readFile(path, "utf8");
  let applied = 0;
  for (const { rule, find, replace } of hints) {
    const before = text;
    text = find === undefined ? (cures[rule]?.(text) ?? text) : text.replace(new RegExp(find, "g"), replace ?? "");
    if (text !== before) applied += 1;
  }
  await writeFile(path, text);
  return applied;
}
