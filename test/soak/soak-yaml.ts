import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsOf, explainPlan, importsOf, loadSteps, renderPlanText } from "../../src/dialects/steps/definition/index.ts";
import { renderDiagnostic } from "../../src/source/index.ts";
import { expressionChecker } from "../../src/engine/index.ts";
import { checkProgram } from "../../src/program/index.ts";
import { listedCode } from "./listed-codes.ts";
import { Random } from "./random.ts";
import type { Tally } from "./tally.ts";
import { yamlCase } from "./yaml-cases.ts";

export interface Share {
  readonly seed: number;
  readonly from: number;
  readonly cases: number;
}

/** Reads damaged, random and hostile texts as workflows: each is either a program or has an error with a listed code. */
export async function soakYaml(root: string, { seed, from, cases }: Share, tally: Tally): Promise<void> {
  const corpus = readCorpus(root);
  for (let index = from; index < from + cases; index += 1) {
    const random = new Random(seed, "yaml", index);
    const { kind, text } = yamlCase(random, corpus);
    const others = random.chance(0.1) ? { "shared:other": { path: "other.yaml", text: damagedOther(random, corpus) } } : {};
    await tally.case(index, () => `${kind}: ${read(text, others, random.chance(0.2))}`);
  }
}

function damagedOther(random: Random, corpus: readonly string[]): string {
  return yamlCase(random, corpus).text;
}

type Others = Readonly<Record<string, { readonly path: string; readonly text: string }>>;

function read(text: string, workflows: Others, alsoReferences: boolean): string {
  const main = { name: "fuzz", source: "project" as const, path: "fuzz.yaml", text };
  if (alsoReferences) {
    importsOf(main);
    callsOf(main);
  }
  const { program, diagnostics } = loadSteps({ main, imports: {}, workflows }, expressionChecker);
  for (const problem of diagnostics) {
    listedCode(problem.code, problem.message);
    renderDiagnostic(problem, text);
  }
  if (program === undefined) {
    const error = diagnostics.find((problem) => problem.severity === "error");
    if (error === undefined) throw new Error("There is neither a program nor an error.");
    return error.code;
  }
  const broken = checkProgram(program);
  if (broken.length > 0) throw new Error(`The program is broken: ${broken.join("; ")}`);
  JSON.stringify(program);
  renderPlanText(explainPlan(program));
  return "a program";
}

function readCorpus(root: string): string[] {
  const folders = ["examples", "src/dialects/steps/samples"].map((folder) => join(root, folder));
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)));
  const texts = files
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .map((file) => readFileSync(file, "utf8"));
  if (texts.length < 10) throw new Error("There are too few workflows to damage.");
  return texts;
}
