// @ts-check
import { loadRooms } from "./load-rooms.mjs";
import { deref, keyTable, sectionTables, shapeAt } from "./schema-shapes.mjs";

/** Every section, step and key of the machine dialect, from the schema that files are checked against. */
export async function machinePage() {
  const { machineFeatures, machineJsonSchema } = await loadRooms();
  /** @type {any} */
  const schema = machineJsonSchema();
  const { sectionKeys, stepKeys, topLevelKeys, ...words } = machineFeatures;
  const parts = [
    "# Machine dialect: every key",
    "",
    "Generated from the shape that files are checked against. How the pieces work together is in [machines.md](machines.md).",
    "",
    ...sectionTables(schema, topLevelKeys, sectionKeys),
  ];
  const steps = deref(schema, shapeAt(schema, "states.*").properties.do.items).anyOf.map((/** @type {any} */ each) => deref(schema, each));
  for (const [word, keys] of Object.entries(stepKeys)) {
    const shape = steps.find((/** @type {any} */ each) => each.required.includes(word));
    parts.push("", `## Step \`${word}\``, "", ...keyTable(schema, shape, keys));
  }
  parts.push("", "## Words", "", "| where | words |", "|---|---|");
  for (const [name, list] of Object.entries(words))
    parts.push(`| ${headings[name] ?? name} | ${list.map((word) => `\`${word}\``).join(", ")} |`);
  return `${parts.join("\n").trimEnd()}\n`;
}

/** Where the words of a list stand. @type {Readonly<Record<string, string>>} */
const headings = {
  artifactForms: "`artifacts.*.form`",
  outputKinds: "`roles.*.output`",
  answers: "`roles.*.answers`",
  conditionNames: "names in conditions",
  inputs: "inputs of every machine",
};
