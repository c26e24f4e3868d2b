const message = "{{ title }}: {{ item }} is number {{ index }} of {{ total }}";
const operators = "item.length > 3 && title === 'Files'";
const regex = "/[.]ts$/.test(item) && title === 'Files'";

/** What a step's condition amounts to, for a sandbox that is called directly. */
export const bareCondition = { code: `return (${regex})`, bindings: { item: "src/file-1.ts", title: "Files" } };

const head = (name: string): string => `name: "${name}"
description: For measuring.
version: "1.0.0"
default_state: { raw: { title: Files, item: src/file-1.ts, index: 1, total: 1000 } }
`;

/** A long sequence of plain steps: each tells the agent a text whose templates only name values. */
export function plainSequence(steps: number): string {
  const lines = Array.from({ length: steps }, (_, index) => `  - { id: tell_${index}, type: user_message, message: "${message}" }`);
  return `${head("bench:sequence")}steps:\n${lines.join("\n")}\n`;
}

/** The same steps, each behind a condition in JavaScript: of operators alone, or a regular expression, which needs the interpreter. */
export function conditionSequence(kind: "operators" | "regex", steps: number): string {
  const condition = `{{ ${kind === "operators" ? operators : regex} }}`;
  const lines = Array.from(
    { length: steps },
    (_, index) =>
      `  - { id: if_${index}, type: conditional, condition: "${condition}", then: [{ id: tell_${index}, type: user_message, message: "${message}" }] }`,
  );
  return `${head(`bench:${kind}`)}steps:\n${lines.join("\n")}\n`;
}

/** The same step for each of many items. */
export const plainItems = `${head("bench:items")}inputs: { files: { type: array, required: true } }
steps:
  - id: each
    type: foreach
    items: "{{ inputs.files }}"
    body:
      - { id: tell, type: user_message, message: "${message}" }
`;

export function fileNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `src/folder-${index % 97}/file-${index}.ts`);
}
