import { isList, isObject, own, shellWord, textOf, type JsonObject } from "../../../base/index.ts";
import type { EffectJob } from "../../../engine/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";
import { fillScript } from "./fill-script.ts";

type Line = { readonly line: string } | { readonly problem: string };

/** The command line that runs a script: its file where that is as it was when the run began, else its text. */
export async function scriptCommand({ engine, effect, folder }: EffectJob<PromptsDefinition>, script: JsonObject): Promise<Line> {
  const code = textOf(effect.args["command"]);
  const { file } = script;
  const runtime = script["runtime"] === "uv" ? "uv" : "bun";
  const deps = isList(script["deps"]) ? script["deps"].map(textOf) : [];
  const values = isObject(effect.args["values"]) ? effect.args["values"] : {};
  const needs = isObject(effect.args["needs"]) ? effect.args["needs"] : {};
  const missing = Object.keys(needs).find((name) => (own(values, name) ?? null) === null);
  if (missing !== undefined) return { problem: textOf(needs[missing]) };
  const held = typeof file === "string" ? await engine.workspace.read(folder, file).catch(() => undefined) : undefined;
  const isSame = held !== undefined && new TextDecoder().decode(held.bytes) === code;
  if (typeof file === "string" && isSame) return { line: runLine(runtime, deps, shellWord(file)) };
  const filled = fillScript(code, values, runtime);
  if ("problem" in filled) return filled;
  const mark = markFor(filled.code);
  return { line: `${runLine(runtime, deps, "-")} <<'${mark}'\n${filled.code}\n${mark}` };
}

/** Node runs what is written for bun where bun is not installed. */
function runLine(runtime: "bun" | "uv", deps: readonly string[], what: string): string {
  if (runtime === "uv") return `uv run ${deps.map((dep) => `--with ${shellWord(dep)} `).join("")}${what === "-" ? "-" : what}`;
  const node = what === "-" ? "node --input-type=module -" : `node ${what}`;
  return `if command -v bun >/dev/null 2>&1; then set -- bun run ${what}; else set -- ${node}; fi\n"$@"`;
}

/** A line that the text does not have. */
function markFor(code: string): string {
  let mark = "WAYMARK_SCRIPT";
  while (code.includes(mark)) mark += "_";
  return mark;
}
