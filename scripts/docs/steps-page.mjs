// @ts-check
import { loadRooms } from "./load-rooms.mjs";

/** Every step type and key of the steps dialect, from the schema that also serves editors. */
export async function stepsPage() {
  const { stepsJsonSchema, stepsFeatures } = await loadRooms();
  /** @type {any} */
  const schema = stepsJsonSchema();
  const features = stepsFeatures;
  const parts = [
    "# Steps dialect: every key",
    "",
    "Generated from the schema that `waymark schema` prints. How the pieces work together is in [workflows.md](workflows.md).",
    "",
  ];
  const top = schema.properties ?? schema.anyOf?.[0]?.properties ?? {};
  parts.push(
    "## Top level",
    "",
    ...table(schema, top),
    ...Object.entries(top)
      // A file may hold all of this under `workflow`; it is told once.
      .filter(([key]) => key !== "workflow")
      .flatMap(([key, value]) => below(schema, key, value)),
  );
  for (const [type, keys] of Object.entries(features.stepKeys)) {
    const shape = findStep(schema, type);
    parts.push(
      "",
      `## \`${type}\``,
      "",
      ...(shape?.description === undefined ? [] : [shape.description, ""]),
      ...(shape === undefined
        ? [`Keys: ${/** @type {string[]} */ (keys).map((key) => `\`${key}\``).join(", ")}.`]
        : table(schema, shape.properties ?? {})),
    );
  }
  return `${parts.join("\n").trimEnd()}\n`;
}

/**
 * @param {any} schema
 * @param {Record<string, any>} properties
 */
function table(schema, properties) {
  const rows = Object.entries(properties).map(([key, value]) => {
    const shape = deref(schema, value);
    const preset = shape.default === undefined ? "" : ` Default \`${JSON.stringify(shape.default)}\`.`;
    return `| \`${key}\` | ${String(value.description ?? shape.description ?? "")
      .replaceAll("|", "\\|")
      .replaceAll("\n", " ")}${preset} |`;
  });
  return ["| key | meaning |", "|---|---|", ...rows];
}

/**
 * The keys inside a key, to any depth; `<name>` stands for a name that the author chooses.
 *
 * @param {any} schema
 * @param {string} path
 * @param {any} value
 * @returns {string[]}
 */
function below(schema, path, value) {
  const shape = deref(schema, value);
  const named = shape.additionalProperties;
  if (typeof named === "object" && named !== null) return below(schema, `${path}.<name>`, named);
  if (shape.properties === undefined) return [];
  const inner = Object.entries(shape.properties).flatMap(([key, held]) => below(schema, `${path}.${key}`, held));
  return ["", `### Under \`${path}\``, "", ...table(schema, shape.properties), ...inner];
}

/**
 * @param {any} schema
 * @param {any} value
 */
function deref(schema, value) {
  const ref = value?.$ref;
  return typeof ref === "string"
    ? (ref
        .replace(/^#\//, "")
        .split("/")
        .reduce((/** @type {any} */ held, key) => held?.[key], schema) ?? {})
    : (value ?? {});
}

/**
 * @param {any} schema
 * @param {string} type
 */
function findStep(schema, type) {
  /** @type {any} */
  let found;
  const visit = (/** @type {any} */ node) => {
    if (found !== undefined || typeof node !== "object" || node === null) return;
    if (node.properties?.type?.const === type) found = node;
    else for (const part of Object.values(node)) visit(part);
  };
  visit(schema);
  return found;
}
