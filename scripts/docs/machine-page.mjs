// @ts-check
import { loadRooms } from "./load-rooms.mjs";

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
    "## Top level",
    "",
    ...table(schema, schema, topLevelKeys),
  ];
  for (const [name, keys] of Object.entries(sectionKeys)) {
    const shape = at(schema, name);
    if (shape === undefined) throw new Error(`The schema has no section ${name}.`);
    parts.push(
      "",
      `## \`${name}\``,
      "",
      ...(shape.description === undefined ? [] : [shape.description, ""]),
      ...table(schema, shape, keys),
    );
  }
  const steps = deref(schema, at(schema, "states.*").properties.do.items).anyOf.map((/** @type {any} */ each) => deref(schema, each));
  for (const [word, keys] of Object.entries(stepKeys)) {
    const shape = steps.find((/** @type {any} */ each) => each.required.includes(word));
    parts.push("", `## Step \`${word}\``, "", ...table(schema, shape, keys));
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

/**
 * @param {any} schema
 * @param {any} shape
 * @param {readonly string[]} keys
 */
function table(schema, shape, keys) {
  const required = new Set(shape.required ?? []);
  const rows = keys.map((key) => {
    const value = shape.properties?.[key] ?? {};
    const meaning = String(value.description ?? deref(schema, value).description ?? "");
    return `| \`${key}\` | ${required.has(key) ? "yes" : ""} | ${meaning.replaceAll("|", "\\|").replaceAll("\n", " ")} |`;
  });
  return ["| key | required | meaning |", "|---|---|---|", ...rows];
}

/**
 * The shape of a section by its path: `a.*.b[]`, where `*` is each entry of a map and `[]` each member of a list.
 *
 * @param {any} schema
 * @param {string} path
 */
function at(schema, path) {
  let shape = schema;
  for (const step of path.split(".")) {
    const held = deref(schema, shape);
    shape = mapOf(schema, step === "*" ? held?.additionalProperties : held?.properties?.[step.replace(/\[\]$/, "")]);
    if (step.endsWith("[]")) shape = mapOf(schema, shape?.items);
    if (shape === undefined) return undefined;
  }
  return shape;
}

/**
 * Of alternatives the one with keys.
 *
 * @param {any} schema
 * @param {any} value
 */
function mapOf(schema, value) {
  const shape = deref(schema, value);
  const choices = shape?.anyOf ?? shape?.oneOf;
  return choices === undefined
    ? shape
    : choices.map((/** @type {any} */ each) => deref(schema, each)).find((/** @type {any} */ each) => each.properties);
}

/**
 * @param {any} schema
 * @param {any} value
 */
function deref(schema, value) {
  const ref = value?.$ref;
  if (typeof ref !== "string") return value;
  return ref
    .replace(/^#\//, "")
    .split("/")
    .reduce((/** @type {any} */ held, key) => held?.[key], schema);
}
