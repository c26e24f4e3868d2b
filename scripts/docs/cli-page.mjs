// @ts-check
import { loadRooms } from "./load-rooms.mjs";

/**
 * Every command with its arguments, options and examples, from the definitions that the parser itself uses.
 *
 * @returns {Promise<string>}
 */
export async function cliPage() {
  const { commandSpecs, createCommandTree, dialectCommands, exitCodeHelp, fileKeys, replyKeys, stepKeys } = await loadRooms();
  const tree = createCommandTree({ version: "", dialects: dialectCommands, perform: () => Promise.resolve() });
  const specs = commandSpecs(dialectCommands);
  const groups = [...new Set(specs.map((/** @type {any} */ spec) => spec.group))];
  const parts = groups.map((group) => {
    const inside = specs.filter((/** @type {any} */ spec) => spec.group === group);
    return [`## ${String(group).replace(/:$/, "")}`, ...inside.map((/** @type {any} */ spec) => section(tree, spec))].join("\n\n");
  });
  return `# Command line

\`waymark <command> --help\` prints what is on this page for one command.

## Everywhere

${optionTable(tree.options)}

Exit codes:

| code | meaning |
|---|---|
${exitCodeHelp(dialectCommands)
  .map((/** @type {readonly [number, string]} */ [code, meaning]) => `| ${code} | ${cell(meaning)} |`)
  .join("\n")}

Commands that drive a run (\`start\`, \`next\`, \`done\`, \`fail\`, \`skip\`, \`resume\`, \`retry\`, \`run\`) end with 1 when it has failed or was
cancelled, and with 4 when a permission is missing; commands that only look (\`status\`, \`runs\`, \`journal\`) end with 0. An error says what happened and, after an arrow, what to do; with \`--json\` it is
\`{"error": {"code", "message", "fix"}}\` on stderr. Colours are used on a terminal only and not when \`NO_COLOR\` is set.

Lines that a command prints for you to copy name the folder of \`-C\` and the place of \`--store\`, so that they work in any folder.

${parts.join("\n\n")}

## Test files

Keys of a \`*.waymark-test.yaml\` file:

${keyTable(fileKeys)}

An entry of \`steps\`:

${keyTable(stepKeys)}

A reply of \`commands\`; a plain text is its \`stdout\`:

${keyTable(replyKeys)}

A test with \`agent\`:

\`\`\`yaml
workflow: release-notes
agent: { turns: [{ match: Write the notes, do: [{ write: { file: notes.md, text: "# Notes" } }, { say: Done. }] }] }
folder: fixtures/small # the run works on a copy; without it the folder is empty
commands: { npm test: "" } # what \`done_when\` of a task runs
files: { notes.md: /^# Notes/ }
\`\`\`

The script is asked for every step that \`steps\` and \`answers\` do not name, messages and questions aside, as [agents.md](agents.md#scripts) describes it. A task is
given as \`waymark drive\` gives it: the end of the turn is the report, and what is missing then is asked for once. Steps that are reported with a tool
need a \`call\` of it in the script. Steps without a stated permission have \`edit\`.

Maps are compared by the keys that are named, lists as a whole. Every test has a store of its own, and a clock that jumps over waits.
The report counts the branches and loop bodies that were taken, and apart from them the error paths.
`;
}

/** @param {Record<string, { about: string }>} keys */
function keyTable(keys) {
  return ["| key | meaning |", "|---|---|", ...Object.entries(keys).map(([key, { about }]) => `| \`${key}\` | ${cell(about)} |`)].join(
    "\n",
  );
}

/**
 * @param {any} tree
 * @param {any} spec
 */
function section(tree, spec) {
  const [name = ""] = spec.usage.split(" ");
  const command = tree.commands.find((/** @type {any} */ known) => known.name() === name);
  const lines = [`### \`waymark ${spec.usage}\``, spec.summary];
  if (spec.details !== undefined) lines.push(...details(spec.details));
  if (command.options.length > 0) lines.push(optionTable(command.options));
  lines.push(["```sh", ...spec.examples, "```"].join("\n"));
  return lines.join("\n\n");
}

/**
 * Indented lines of a text are an example.
 *
 * @param {string} text
 */
function details(text) {
  return text
    .split("\n\n")
    .map((paragraph) =>
      paragraph.startsWith("  ") ? ["```yaml", ...paragraph.split("\n").map((line) => line.slice(2)), "```"].join("\n") : paragraph,
    );
}

/** @param {readonly any[]} options */
function optionTable(options) {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map((option) => {
      const choices =
        option.argChoices === undefined
          ? ""
          : ` One of ${option.argChoices.map((/** @type {string} */ choice) => `\`${choice}\``).join(", ")}.`;
      const preset = option.defaultValue === undefined || option.negate ? "" : ` Default \`${String(option.defaultValue)}\`.`;
      return `| \`${cell(option.flags)}\` | ${cell(`${option.description}${choices}${preset}`)} |`;
    });
  return ["| option | meaning |", "|---|---|", ...rows].join("\n");
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
