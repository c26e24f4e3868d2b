// @ts-check
import { loadRooms } from "./load-rooms.mjs";

/**
 * The reference page of every dialect that has one, by file name.
 *
 * @returns {Promise<Record<string, () => Promise<string>>>}
 */
export async function dialectPages() {
  const { dialects } = await loadRooms();
  return Object.fromEntries(
    dialects
      .filter(({ reference, jsonSchema }) => reference !== undefined && jsonSchema !== undefined)
      .map((dialect) => [`${dialect.name}-reference.md`, () => dialectPage(dialect)]),
  );
}

/**
 * Every section, step, key and word of a dialect, with what the schema that files are checked against says about it.
 *
 * @param {Awaited<ReturnType<typeof loadRooms>>["dialects"][number]} dialect
 */
async function dialectPage({ name, reference, jsonSchema }) {
  const { moreWords } = await loadRooms();
  if (reference === undefined) throw new Error(`The dialect ${name} has no reference.`);
  const { guide, topLevelKeys, sectionKeys, stepKeys = {}, note } = reference;
  /** @type {any} */
  const schema = jsonSchema?.();
  const parts = [
    `# ${name.slice(0, 1).toUpperCase()}${name.slice(1)} dialect: every key`,
    "",
    `Generated from the shape that files are checked against. How the pieces work together is in [${guide}](${guide}).`,
    "",
    ...sectionTables(schema, topLevelKeys, sectionKeys),
  ];
  for (const [word, keys] of Object.entries(stepKeys)) {
    const shape = stepShape(schema, word, keys);
    const about = shape.description === undefined ? [] : [shape.description, ""];
    parts.push("", `## Step \`${word}\``, "", ...about, ...keyTable(schema, shape, keys));
  }
  const words = Object.entries({ ...reference.words, ...moreWords[name] });
  if (words.length > 0) parts.push("", "## Words", "", "| where | words |", "|---|---|");
  for (const [where, list] of words) parts.push(`| ${where} | ${list.map((word) => `\`${word}\``).join(", ")} |`);
  if (note !== undefined) parts.push("", note);
  return `${parts.join("\n").trimEnd()}\n`;
}

/**
 * A step is recognised by its `type`, or by the key that is its word.
 *
 * @param {any} schema
 * @param {string} word
 * @param {readonly string[]} keys
 */
function stepShape(schema, word, keys) {
  /** @type {any} */
  let found;
  const visit = (/** @type {any} */ node) => {
    if (found !== undefined || typeof node !== "object" || node === null) return;
    const own = Object.keys(node.properties ?? {});
    if (node.properties?.type?.const === word || (own.join() === keys.join() && node.required?.includes(word))) found = node;
    else for (const part of Object.values(node)) visit(part);
  };
  visit(schema);
  if (found === undefined) throw new Error(`The schema has no step ${word}.`);
  return found;
}

/**
 * @param {any} schema
 * @param {any} shape
 * @param {readonly string[]} keys
 */
function keyTable(schema, shape, keys) {
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
function shapeAt(schema, path) {
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

/**
 * The keys at top level and those of every section, each with what its shape says.
 *
 * @param {any} schema
 * @param {readonly string[]} topLevelKeys
 * @param {Readonly<Record<string, readonly string[]>>} sectionKeys
 */
function sectionTables(schema, topLevelKeys, sectionKeys) {
  const parts = ["## Top level", "", ...keyTable(schema, schema, topLevelKeys)];
  for (const [name, keys] of Object.entries(sectionKeys)) {
    const shape = shapeAt(schema, name);
    if (shape === undefined) throw new Error(`The schema has no section ${name}.`);
    const about = shape.description === undefined ? [] : [shape.description, ""];
    parts.push("", `## \`${name}\``, "", ...about, ...keyTable(schema, shape, keys));
  }
  return parts;
}
