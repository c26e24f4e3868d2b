// @ts-check
// What pages about a dialect read from its JSON schema.

/**
 * @param {any} schema
 * @param {any} shape
 * @param {readonly string[]} keys
 */
export function keyTable(schema, shape, keys) {
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
export function shapeAt(schema, path) {
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
export function deref(schema, value) {
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
export function sectionTables(schema, topLevelKeys, sectionKeys) {
  const parts = ["## Top level", "", ...keyTable(schema, schema, topLevelKeys)];
  for (const [name, keys] of Object.entries(sectionKeys)) {
    const shape = shapeAt(schema, name);
    if (shape === undefined) throw new Error(`The schema has no section ${name}.`);
    const about = shape.description === undefined ? [] : [shape.description, ""];
    parts.push("", `## \`${name}\``, "", ...about, ...keyTable(schema, shape, keys));
  }
  return parts;
}
