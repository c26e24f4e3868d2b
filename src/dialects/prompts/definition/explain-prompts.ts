import { defined } from "../../../base/index.ts";
import type { Program } from "../../../program/index.ts";
import type { Explanation } from "../../../source/index.ts";
import { explainGraph } from "./explain-graph.ts";
import type { PromptStep, PromptsDefinition } from "./prompts-definition.ts";

/** A chain as a list: which prompts, by whom, and where a context begins. */
export function explainPrompts({ parts, main }: Program): Explanation {
  const definition = parts[main]?.config["prompts"] as unknown as PromptsDefinition;
  if (definition.nodes !== undefined) return explainGraph(definition);
  const { name, description, version, steps, loop } = definition;
  const rounds = loop === undefined ? [] : [`Repeats until the answer says \`${loop.until}\`, at most ${loop.maxIterations} times.`];
  return {
    text: () =>
      [
        `${name} ${version}`,
        description.trim(),
        "",
        ...rounds,
        ...steps.map((step, at) => `${at + 1}. ${stepText(definition, step)}`),
      ].join("\n"),
    mermaid: () =>
      ["flowchart TD", ...steps.map(({ name: each }, at) => `  n${at}["${each}"]${at === 0 ? "" : `\n  n${at - 1} --> n${at}`}`)].join(
        "\n",
      ),
    data: () => ({
      workflow: name,
      description,
      version,
      steps: steps.map(({ name: step, context, workflow, artifacts }) =>
        defined({
          step,
          context: workflow === undefined ? context : undefined,
          workflow: workflow?.name,
          artifacts,
        }),
      ),
      ...(loop === undefined ? {} : { loop: { ...loop } }),
    }),
  };
}

function stepText(definition: PromptsDefinition, { name, context, workflow, artifacts = [], provider, model, retry }: PromptStep): string {
  if (workflow !== undefined) return `${name}: runs this workflow`;
  const agent = [provider ?? definition.provider, model ?? definition.model].filter((each) => each !== undefined).join(" ");
  const parts = [
    context === "fresh" ? "fresh context" : "continues the context",
    ...(agent === "" ? [] : [`by ${agent}`]),
    ...(artifacts.length === 0 ? [] : [`leaves ${artifacts.join(", ")}`]),
    ...(retry === undefined ? [] : [`tried again up to ${retry.times} times`]),
  ];
  return `${name}: ${parts.join(", ")}`;
}
