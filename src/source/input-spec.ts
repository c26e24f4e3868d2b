import * as z from "zod";
import { defined, isList } from "../base/index.ts";
import type { InputSpec } from "../program/index.ts";
import { child, flagAt, numberAt, textAt, type SourceNode } from "./source-node.ts";

/** Types of inputs and of fields of the state. */
export const typeWords = ["string", "number", "boolean", "object", "array", "any"] as const;

const typeWord: z.ZodType = z.enum(typeWords);

/** An input of a workflow, in every dialect that declares them: a type word, or a map. */
export const inputShape: z.ZodUnion = z.union([
  typeWord,
  z.strictObject({
    type: typeWord.describe("Type of the value."),
    default: z.unknown().optional().describe("Value when none is given; makes the input optional."),
    required: z.boolean().optional().describe("Whether it must be given; default true without a `default`."),
    description: z.string().optional().describe("What the input is for."),
    secret: z.boolean().optional().describe("Masked in views, logs and exports."),
    validation: z
      .strictObject({
        pattern: z.string().optional().describe("Regular expression a text must match."),
        enum: z.array(z.unknown()).min(1).optional().describe("The only values allowed."),
        min: z.number().optional().describe("Smallest number, or fewest characters or entries."),
        max: z.number().optional().describe("Largest number, or most characters or entries."),
        error_message: z.string().optional().describe("What to say when a value is refused."),
      })
      .optional()
      .describe("Conditions on the value."),
  }),
]);

/** An input as it is declared; undefined for a malformed one. A bare type word is a required input of that type. */
export function readInput(node: SourceNode): InputSpec | undefined {
  const type = typeWords.find((word) => word === node.value || word === textAt(node, "type"));
  if (type === undefined) return undefined;
  const preset = child(node, "default")?.value;
  const validation = child(node, "validation");
  return {
    type,
    required: flagAt(node, "required") ?? preset === undefined,
    ...defined({
      default: preset,
      description: textAt(node, "description"),
      secret: flagAt(node, "secret") === true ? true : undefined,
      validation: validation === undefined ? undefined : readValidation(validation),
    }),
  };
}

function readValidation(node: SourceNode): NonNullable<InputSpec["validation"]> {
  const allowed = child(node, "enum")?.value;
  return defined({
    pattern: textAt(node, "pattern"),
    enum: isList(allowed) ? allowed : undefined,
    min: numberAt(node, "min"),
    max: numberAt(node, "max"),
    message: textAt(node, "error_message"),
  });
}
