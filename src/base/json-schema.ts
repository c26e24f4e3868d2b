import { canonicalJson, isList, isObject, textOf, type Json, type JsonObject } from "./json.ts";

/**
 * The words of JSON Schema that are checked: types, fields of objects, entries of lists, fixed values and sizes. A schema with other
 * words is refused where it is written, so that nothing counts as checked that is not.
 */
const schemaWords = new Set(
  [
    "type properties required additionalProperties items enum const minimum maximum minLength maxLength minItems maxItems",
    // Said for people and tools; nothing follows from them.
    "title description default examples $schema $id $comment",
  ]
    .join(" ")
    .split(" "),
);

/** Words of a schema, at any depth, that are not checked. */
export function unknownSchemaWords(schema: Json): readonly string[] {
  if (!isObject(schema)) return [];
  const own = Object.keys(schema).filter((word) => !schemaWords.has(word));
  return [...new Set([...own, ...innerSchemas(schema).flatMap(unknownSchemaWords)])];
}

export const schemaTypes: readonly string[] = "string number integer boolean object array null".split(" ");

/** Words for types in a schema, at any depth, that are none. */
export function unknownSchemaTypes(schema: Json): readonly string[] {
  if (!isObject(schema)) return [];
  const { type } = schema;
  const types = isList(type) ? type : type === undefined ? [] : [type];
  const wrong = types.filter((each) => typeof each !== "string" || !schemaTypes.includes(each)).map(textOf);
  return [...new Set([...wrong, ...innerSchemas(schema).flatMap(unknownSchemaTypes)])];
}

function innerSchemas({ properties, items, additionalProperties }: JsonObject): readonly Json[] {
  return [...(isObject(properties) ? Object.values(properties) : []), items ?? null, additionalProperties ?? null];
}

/** What of a value does not fit a schema, each as a short sentence; nothing when it fits. */
export function schemaProblems(schema: Json, value: Json, at = "the result"): readonly string[] {
  if (schema === false) return [`${at} is not allowed.`];
  if (!isObject(schema)) return [];
  const { type, enum: allowed, const: fixed } = schema;
  const types = isList(type) ? type : type === undefined ? [] : [type];
  if (types.length > 0 && !types.some((each) => hasSchemaType(value, each)))
    return [`${at} must be of type ${types.map(textOf).join(" or ")}.`];
  if (isList(allowed) && !allowed.some((each) => isSame(each, value))) return [`${at} must be one of ${JSON.stringify(allowed)}.`];
  if (fixed !== undefined && !isSame(fixed, value)) return [`${at} must be ${JSON.stringify(fixed)}.`];
  const size = sizeProblem(schema, value, at);
  if (size !== undefined) return [size];
  if (isList(value)) return value.flatMap((entry, index) => schemaProblems(schema["items"] ?? true, entry, `${at}[${index}]`));
  return isObject(value) ? fieldProblems(schema, value, at) : [];
}

function fieldProblems(
  { properties, required, additionalProperties = true }: JsonObject,
  value: JsonObject,
  at: string,
): readonly string[] {
  const known = isObject(properties) ? properties : {};
  const missing = isList(required) ? required.filter((name) => typeof name === "string" && !Object.hasOwn(value, name)) : [];
  return [
    ...missing.map((name) => `${at} lacks \`${textOf(name)}\`.`),
    ...Object.entries(value).flatMap(([name, field]) =>
      schemaProblems(Object.hasOwn(known, name) ? (known[name] ?? true) : additionalProperties, field, `${at}.${name}`),
    ),
  ];
}

function hasSchemaType(value: Json, type: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return isList(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const bounds = [
  ["minimum", "maximum", "be"],
  ["minLength", "maxLength", "have a length of"],
  ["minItems", "maxItems", "have a length of"],
] as const;

function sizeProblem(schema: JsonObject, value: Json, at: string): string | undefined {
  const [size, pair] =
    typeof value === "number"
      ? [value, bounds[0]]
      : typeof value === "string"
        ? [value.length, bounds[1]]
        : isList(value)
          ? [value.length, bounds[2]]
          : [];
  if (size === undefined || pair === undefined) return undefined;
  const [least, most, verb] = pair;
  const [from, to] = [schema[least], schema[most]];
  if (typeof from === "number" && size < from) return `${at} must ${verb} at least ${from}.`;
  return typeof to === "number" && size > to ? `${at} must ${verb} at most ${to}.` : undefined;
}

function isSame(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
