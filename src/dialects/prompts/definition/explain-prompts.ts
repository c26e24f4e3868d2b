import { defined } from "../../../base/index.ts";
import type { Program } from "../../../program/index.ts";
import type { Explanation } from "../../../source/index.ts";
import { agentText } from "./context-text.ts";
import { bracket, explainGraph } from "./explain-graph.ts";
import type { PromptStep, PromptsDefinition } from "./prompts-definition.ts";
import { tellPrompts } from "./tell-prompts.ts";

/** A chain as a list: which prompts, by whom, and where a context begins. */
export function explainPrompts({ parts, main }: Program): Explanation {
  const definition = parts[main]?.config["prompts"] as unknown as PromptsDefinition;
  const told = () => tellPrompts(definition);
  if (definition.nodes !== undefined) return { ...explainGraph(definition), told };
  const { name, description, version, steps, loop } = definition;
  const rounds = loop === undefined ? [] : [`Repeats until the answer says \`${loop.until}\`, at most ${loop.maxIterations} times.`];
  return {
    told,
    text: () => [`${name} ${version}`, description.trim(), "", ...rounds, ...listed(definition)].join("\n"),
    mermaid: () => ["flowchart TD", ...drawn(steps)].join("\n"),
    data: () => ({
      workflow: name,
      description,
      version,
      steps: steps.map(({ name: step, context, workflow, artifacts, beside }) =>
        defined({
          step,
          context: workflow === undefined ? context : undefined,
          workflow: workflow?.name,
          artifacts,
          parallel: beside === undefined ? undefined : [...new Set(steps.flatMap((each) => each.beside ?? []))].indexOf(beside) + 1,
        }),
      ),
      ...(loop === undefined ? {} : { loop: { ...loop } }),
    }),
  };
}

/** Members of one `parallel` entry, which run beside each other, are in one bracket. */
function listed(definition: PromptsDefinition): readonly string[] {
  const isWide = definition.steps.some(({ beside }) => beside !== undefined);
  return groupsOf(definition.steps).flatMap((group) =>
    group.map(({ step, at }, place) => {
      const first = isWide ? bracket(place, group.length).first : "";
      return `${first}${at + 1}. ${stepText(definition, step)}`;
    }),
  );
}

interface Placed {
  readonly step: PromptStep;
  readonly at: number;
}

function groupsOf(steps: readonly PromptStep[]): readonly (readonly Placed[])[] {
  const groups: Placed[][] = [];
  for (const [at, step] of steps.entries()) {
    const last = groups.at(-1);
    if (step.beside !== undefined && last?.[0]?.step.beside === step.beside) last.push({ step, at });
    else groups.push([{ step, at }]);
  }
  return groups;
}

function drawn(steps: readonly PromptStep[]): readonly string[] {
  const groups = groupsOf(steps);
  return groups.flatMap((group, place) =>
    group.flatMap(({ step, at }) => [
      `  n${at}["${step.name}"]`,
      ...(groups[place - 1] ?? []).map(({ at: before }) => `  n${before} --> n${at}`),
    ]),
  );
}

function stepText(definition: PromptsDefinition, { name, context, workflow, artifacts = [], provider, model, retry }: PromptStep): string {
  if (workflow !== undefined) return `${name}: runs this workflow`;
  const agent = agentText(definition, defined({ provider, model }));
  const parts = [
    context === "fresh" ? "fresh context" : "continues the context",
    ...(agent === "" ? [] : [agent]),
    ...(artifacts.length === 0 ? [] : [`leaves ${artifacts.join(", ")}`]),
    ...(retry === undefined ? [] : [`tried again up to ${retry.times} times`]),
  ];
  return `${name}: ${parts.join(", ")}`;
}
