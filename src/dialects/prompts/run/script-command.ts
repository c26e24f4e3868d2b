import { isList, isObject, own, shellWord, textOf, type JsonObject } from "../../../base/index.ts";
import type { EffectJob } from "../../../engine/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";
import { fillScript } from "./fill-script.ts";
import { hasTypes, stripTypes } from "./graph-programs.ts";
import type { Variables } from "./node-environment.ts";
import type { Runtime } from "./script-places.ts";

type Line = { readonly line: string } | { readonly problem: string };

/** The command line that runs a script: its file, which must be as it was when the run began, or its text. */
export async function scriptCommand(job: EffectJob<PromptsDefinition>, script: JsonObject, large: Variables): Promise<Line> {
  const { effect } = job;
  const code = textOf(effect.args["command"]);
  const file = typeof script["file"] === "string" ? pathOf(job, script["file"]) : undefined;
  const runtime = script["runtime"] === "uv" ? "uv" : "bun";
  const deps = isList(script["deps"]) ? script["deps"].map(textOf) : [];
  const program = { runtime, deps, typed: runtime === "bun" && hasTypes(code, file) } as const;
  const run = (text: string): Line => ({ line: fromText(program, text) });
  const set = assignments(large, runtime);
  if (file !== undefined) {
    if (!(await isAsItWas(job, file, code)))
      return {
        problem: `The script ${file} is not what it was when this run began: it was changed or removed since. Restore it and retry the run, or start a new run.`,
      };
    return set === "" ? { line: runLine(program, shellWord(file)) } : run(loader(file, { code, runtime, set }));
  }
  const values = isObject(effect.args["values"]) ? effect.args["values"] : {};
  const needs = isObject(effect.args["needs"]) ? effect.args["needs"] : {};
  const missing = Object.keys(needs).find((name) => (own(values, name) ?? null) === null);
  if (missing !== undefined) return { problem: textOf(needs[missing]) };
  const filled = fillScript(code, values, runtime);
  return "problem" in filled ? filled : run(`${set}${filled.code}`);
}

/** Of a script of the project in this checkout, also where the run works on a folder of its own. Runs of earlier versions name the whole path. */
function pathOf({ engine }: EffectJob<PromptsDefinition>, file: string): string {
  return /^(?:[A-Za-z]:)?\//.test(file) ? file : `${engine.host.permissions.workspace}/${file}`;
}

/** A person allowed what it was, and the run was begun with that. */
async function isAsItWas({ engine }: EffectJob<PromptsDefinition>, file: string, code: string): Promise<boolean> {
  const { workspace } = engine.host;
  const cut = file.startsWith(`${workspace}/`) ? workspace.length : file.lastIndexOf("/");
  const held = await engine.workspace.read(file.slice(0, cut), file.slice(cut + 1)).catch(() => undefined);
  return held !== undefined && new TextDecoder().decode(held.bytes) === code;
}

interface Program {
  readonly runtime: Runtime;
  readonly deps: readonly string[];
  /** It is TypeScript. */
  readonly typed: boolean;
}

/** Node runs what is written for bun where bun is not installed. */
function runLine({ runtime, deps, typed }: Program, what: string): string {
  if (runtime === "uv") return `uv run ${deps.map((dep) => `--with ${shellWord(dep)} `).join("")}${what}`;
  // With types Node finds out by itself that a text is a module.
  const node = typed ? `node ${stripTypes} ${what}` : what === "-" ? "node --input-type=module -" : `node ${what}`;
  return `if command -v bun >/dev/null 2>&1; then set -- bun run ${what}; else set -- ${node}; fi\n"$@"`;
}

function fromText(program: Program, code: string): string {
  const mark = markFor(code);
  return `${runLine(program, "-")} <<'${mark}'\n${code}\n${mark}`;
}

/** Code for the front of a program, on its first line. Texts of JSON are texts of both languages. */
function assignments(large: Variables, runtime: Runtime): string {
  const place = runtime === "uv" ? '__import__("os").environ' : "process.env";
  return Object.entries(large)
    .map(([name, value]) => `${place}["${name}"] = ${JSON.stringify(value)}; `)
    .join("");
}

/** A program that runs a file as if it had been begun by itself, with variables that no environment can hold. */
function loader(file: string, { code, runtime, set }: { readonly code: string; readonly runtime: Runtime; readonly set: string }): string {
  const path = JSON.stringify(file);
  if (runtime === "bun") return `${set}process.argv[1] = ${path}; ${loading}(${JSON.stringify(fileUrl(file))});`;
  const begin = `import os, runpy, sys; sys.argv[0] = ${path}; sys.path[0] = os.path.dirname(${path})`;
  // What it says about its packages must be in the program that is begun.
  const packages = /^# \/\/\/ script\n(?:#.*\n)*?# \/\/\/$/m.exec(code)?.[0] ?? "";
  return `${packages}\n${set}${begin}; runpy.run_path(${path}, run_name="__main__")`;
}

const loading = "await import";

function fileUrl(path: string): string {
  return `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`;
}

/** A line that the text does not have. */
function markFor(code: string): string {
  let mark = "WAYMARK_SCRIPT";
  while (code.includes(mark)) mark += "_";
  return mark;
}
