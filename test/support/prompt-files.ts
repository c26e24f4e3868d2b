/** Files of a workspace with one chain of prompts: `steps` is what follows that key, `prompts` the text of each step. */
export function chainFiles(
  steps: string,
  prompts: Readonly<Record<string, string>>,
  { name = "chain", folder = ".archon" }: { readonly name?: string; readonly folder?: string } = {},
): Record<string, string> {
  const texts = Object.entries(prompts).map(([step, text]) => [`${folder}/steps/${step}.md`, text]);
  return { [`${folder}/workflows/${name}.yaml`]: chainOf(name, steps), ...Object.fromEntries(texts) };
}

export function chainOf(name: string, steps: string): string {
  return `name: ${name}\ndescription: A case.\nsteps:\n${steps}\n`;
}

/** The seed's own chain, with prompts of one line. */
export const seedChain: Readonly<Record<string, string>> = chainFiles(
  "  - step: plan\n  - step: implement\n    clearContext: true\n  - step: create-pr",
  { plan: "Plan $USER_MESSAGE.", implement: "Implement it for $WORKFLOW_ID.", "create-pr": "Open the pull request." },
  { name: "feature-development" },
);
