import { hostileText, hostileTexts, hostileValue } from "./hostile-values.ts";
import type { Random } from "./random.ts";

const stepTypes = [
  "user_input",
  "mcp_call",
  "shell_command",
  "agent_shell_command",
  "apply_hints",
  "conditional",
  "parallel_foreach",
  "foreach",
  "while",
  "break",
  "continue",
  "state_update",
  "user_message",
  "include_workflow",
  "exit",
  "sequential",
  "wait",
  "no_such_type",
];
const keys = [
  "name",
  "description",
  "version",
  "inputs",
  "default_state",
  "state_schema",
  "raw",
  "state",
  "computed",
  "from",
  "transform",
  "on_error",
  "fallback",
  "validate",
  "steps",
  "id",
  "type",
  "message",
  "command",
  "condition",
  "then",
  "else",
  "then_steps",
  "else_steps",
  "items",
  "body",
  "max_iterations",
  "max_parallel",
  "sub_agent_task",
  "sub_agent_tasks",
  "prompt",
  "validation",
  "pattern",
  "path",
  "operation",
  "value",
  "state_update",
  "state_updates",
  "mcp",
  "method",
  "params",
  "workflow",
  "imports",
  "config",
  "timeout",
  "retry",
  "output_format",
  "working_directory",
  "env",
  "execution",
  "default",
  "required",
  "secret",
  "handlers",
  "cleanup",
  "on_failure",
  "wait_for_all",
  "variable_name",
];

/** A text that is to be read as a workflow, and what kind of attack it is. */
export function yamlCase(random: Random, corpus: readonly string[]): { readonly kind: string; readonly text: string } {
  const roll = random.next();
  if (roll < 0.6) return { kind: "damaged", text: damaged(random, corpus) };
  if (roll < 0.78) return { kind: "random document", text: randomDocument(random) };
  if (roll < 0.92) return { kind: "hostile text", text: hostileWorkflow(random) };
  if (roll < 0.94) return { kind: "aliases", text: aliases(random) };
  if (roll < 0.96) return { kind: "nesting", text: nesting(random) };
  if (roll < 0.965) return { kind: "large", text: large(random) };
  return {
    kind: "noise",
    text: Array.from({ length: random.below(2_000) }, () => String.fromCharCode(random.below(random.chance(0.5) ? 256 : 65_536))).join(""),
  };
}

function damaged(random: Random, corpus: readonly string[]): string {
  let text = random.pick(corpus);
  for (let left = 1 + random.below(6); left > 0; left -= 1) text = damage(random, text, corpus);
  return text.slice(0, 60_000);
}

function damage(random: Random, text: string, corpus: readonly string[]): string {
  const at = random.below(text.length + 1);
  const length = random.below(random.chance(0.5) ? 4 : 60);
  const lines = text.split("\n");
  const line = random.below(lines.length);
  switch (random.below(10)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + hostileText(random) + text.slice(at + length);
    case 2:
      return text.slice(0, at + length) + text.slice(at);
    case 3:
      return lines.toSpliced(line, 1, `${" ".repeat(random.below(5))}${lines[line] ?? ""}`).join("\n");
    case 4:
      return lines.toSpliced(line, 1 + random.below(3)).join("\n");
    case 5:
      return lines.toSpliced(line, 0, ...lines.slice(random.below(lines.length)).slice(0, 10)).join("\n");
    case 6:
      return lines
        .toSpliced(
          line,
          1,
          (lines[line] ?? "").replace(/: .*/, () => `: ${JSON.stringify(hostileValue(random, 2))}`),
        )
        .join("\n");
    case 7:
      return lines
        .toSpliced(
          line,
          1,
          (lines[line] ?? "").replace(/[\w-]+:/, () => `${random.pick(keys)}:`),
        )
        .join("\n");
    case 8:
      return text.slice(0, at);
    default:
      return text.slice(0, at) + random.pick(corpus).slice(random.below(200), 400);
  }
}

/** Known keys in wrong places with wrong values. */
function randomDocument(random: Random): string {
  const tree = randomTree(random, 5);
  return JSON.stringify({
    name: "fuzz:case",
    description: "A case.",
    version: "1.0.0",
    ...(typeof tree === "object" ? tree : {}),
    steps: random.times(5, () => randomStep(random, 3)),
  });
}

function randomStep(random: Random, depth: number): unknown {
  if (random.chance(0.08)) return hostileValue(random, 2);
  const step: Record<string, unknown> = {
    id: random.chance(0.8) ? `s${random.below(6)}` : hostileText(random),
    type: random.pick(stepTypes),
  };
  for (let left = random.below(6); left > 0; left -= 1) step[random.pick(keys)] = randomTree(random, depth - 1);
  return step;
}

function randomTree(random: Random, depth: number): unknown {
  if (depth <= 0 || random.chance(0.35)) return hostileValue(random, 1);
  if (random.chance(0.3)) return random.times(4, () => randomStep(random, depth - 1));
  const tree: Record<string, unknown> = {};
  for (let left = random.below(5); left > 0; left -= 1) tree[random.pick(keys)] = randomTree(random, depth - 1);
  return tree;
}

/** A workflow that is right but for one text, which stands wherever texts are read for templates and code. */
function hostileWorkflow(random: Random): string {
  const text = random.chance(0.7)
    ? hostileText(random)
    : `{{ ${hostileText(random)} ${random.pick(["+", "|", ".", "?", "&&", "("])} ${random.pick(hostileTexts)} }}`;
  const quoted = JSON.stringify(text);
  return `name: fuzz:text\ndescription: A case.\nversion: "1.0.0"\ninputs: { a: { type: string, default: ${quoted}, validation: { pattern: ${quoted} } } }
default_state: { raw: { a: ${quoted}, list: [1] } }\nstate_schema: { computed: { c: { from: ${random.chance(0.5) ? "raw.a" : quoted}, transform: ${quoted}, validate: ${quoted} } } }
steps:
  - { id: one, type: user_message, message: ${quoted} }
  - { id: two, type: conditional, condition: ${quoted}, then: [{ id: three, type: shell_command, command: ${quoted}, working_directory: ${quoted} }] }
  - { id: four, type: foreach, items: ${quoted}, body: [{ id: five, type: state_update, path: ${quoted}, value: ${quoted} }] }
  - { id: six, type: while, condition: ${quoted}, max_iterations: 2, body: [{ id: seven, type: mcp_call, mcp: { method: ${quoted}, params: { a: ${quoted} } } }] }
`;
}

function aliases(random: Random): string {
  const levels = 3 + random.below(25);
  const width = 2 + random.below(9);
  const lines = ["a0: &a0 [x, x, x]"];
  for (let level = 1; level <= levels; level += 1)
    lines.push(`a${level}: &a${level} [${Array.from({ length: width }, () => `*a${level - 1}`).join(", ")}]`);
  const use = random.pick([
    `steps: *a${levels}`,
    `steps: [{ id: a, type: user_message, message: *a${levels} }]`,
    `default_state: { raw: { all: *a${levels} } }`,
    `inputs: *a${levels}`,
    `<<: *a${levels}`,
  ]);
  const circle = random.chance(0.2) ? "\nround: &round { again: *round }" : "";
  return `name: fuzz:aliases\ndescription: A case.\nversion: "1.0.0"\n${lines.join("\n")}\n${use}${circle}\n`;
}

function nesting(random: Random): string {
  const depth = random.chance(0.1) ? 20_000 : random.below(3_000);
  switch (random.below(6)) {
    case 0:
      return "[".repeat(depth);
    case 1:
      return `steps: ${"[".repeat(depth)}${"]".repeat(depth)}`;
    case 2:
      return `steps: ${"{a: ".repeat(depth)}1${"}".repeat(depth)}`;
    case 3:
      return `steps:\n  ${"- ".repeat(depth)}x`;
    case 4: {
      const levels = random.below(400);
      return `name: fuzz:deep\ndescription: A case.\nversion: "1.0.0"\nsteps: ${'[{ type: conditional, condition: "true", then: '.repeat(levels)}[{ type: user_message, message: x }]${"}]".repeat(levels)}`;
    }
    default:
      return `name: fuzz:long\ndescription: A case.\nversion: "1.0.0"\nsteps:\n${Array.from({ length: random.below(600) }, (_, index) => `  - { id: s${index}, type: user_message, message: "{{ a${index} }}" }`).join("\n")}`;
  }
}

/** Much of one thing: keys, fields that follow from each other, holes in one text, long names. */
function large(random: Random): string {
  const many = (most: number, line: (index: number) => string): string =>
    Array.from({ length: 1 + random.below(most) }, (_, index) => line(index)).join("\n");
  const begin = `name: fuzz:large\ndescription: A case.\nversion: "1.0.0"\n`;
  const step = `steps: [{ id: a, type: user_message, message: x }]\n`;
  switch (random.below(5)) {
    case 0:
      return `${begin}${step}default_state:\n  raw:\n${many(2_000, (index) => `    key_${index}: ${index}`)}\n`;
    case 1:
      return `${begin}${step}${many(1_000, (index) => `unknown_${index}: ${index}`)}\n`;
    case 2:
      return `${begin}${step}default_state: { raw: { a: 1 } }\nstate_schema:\n  computed:\n${many(500, (index) => `    f${index}: { from: ${index === 0 ? "raw.a" : `computed.f${index - 1}`}, transform: "input + 1" }`)}\n`;
    case 3:
      return `${begin}default_state: { raw: { a: 1 } }\nsteps: [{ id: a, type: user_message, message: ${JSON.stringify(many(1_000, () => "{{ a }}"))} }]\n`;
    default:
      return `${begin}steps: [{ id: ${"i".repeat(random.below(100_000))}, type: user_message, message: ${"m".repeat(random.below(200_000))} }]\n`;
  }
}
