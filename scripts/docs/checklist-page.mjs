// @ts-check
import { loadRooms } from "./load-rooms.mjs";
import { sectionTables } from "./schema-shapes.mjs";

/** Every section and key of the checklist dialect, from the schema that files are checked against. */
export async function checklistPage() {
  const { checklistFeatures, checklistJsonSchema, finderIds } = await loadRooms();
  /** @type {any} */
  const schema = checklistJsonSchema();
  const { sectionKeys, topLevelKeys, guidanceKeys, ...words } = checklistFeatures;
  const parts = [
    "# Checklist dialect: every key",
    "",
    "Generated from the shape that files are checked against. How the pieces work together is in [checklists.md](checklists.md).",
    "",
    ...sectionTables(schema, topLevelKeys, sectionKeys),
  ];
  parts.push("", "## Words", "", "| where | words |", "|---|---|");
  for (const [name, list] of Object.entries(words)) parts.push(`| ${headings[name] ?? name} | ${quoted(list)} |`);
  parts.push(`| \`finder\` | ${quoted(finderIds)} |`);
  parts.push(
    "",
    "Besides these placeholders a template may use `{{arg0}}`, `{{arg1}}` ... for the arguments of the call, and the named groups of the",
    "expression. These keys of other engines are accepted at top level with a warning and shown to the agent; any other unknown word that",
    `is not close to a key of this page is treated the same: ${quoted(guidanceKeys)}.`,
  );
  return `${parts.join("\n").trimEnd()}\n`;
}

/** Where the words of a list stand in a file. @type {Readonly<Record<string, string>>} */
const headings = {
  phaseModes: "`phases[].mode`",
  phaseRoles: "what the engine makes of a phase",
  entryTypes: "`per_file_checklist[].type`",
  approaches: "`approach.options[]`",
  topicTools: "`topic_discovery.tool`",
  textParts: "`in`",
  argumentShapes: "`arguments.shapes`",
  severities: "`severity`",
  placeholders: "placeholders of a `template`",
};

/** @param {readonly string[]} list */
function quoted(list) {
  return list.map((word) => `\`${word}\``).join(", ");
}
