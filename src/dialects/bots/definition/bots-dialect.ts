import type { Dialect, FolderFile, WorkflowInfo } from "../../../source/index.ts";
import { lowerBot } from "./lower.ts";
import { parseBot, type ParsedBot } from "./parse-bot.ts";
import { recogniseBot } from "./read/bot-reading.ts";
import { configFiles, settingsFile } from "./vocabulary.ts";

export const botsDialect: Dialect = {
  name: "bots",
  places: [
    {
      endings: [".json", ".md", ".txt"],
      whole: { markers: configFiles, beside: ["base_actions"], workspaceFiles: [settingsFile] },
    },
  ],
  owns: ({ path }) => recogniseBot(path) !== undefined,
  references: (file) => ({ workflows: parseFolder(file, "project").calls, files: [] }),
  load({ main }) {
    const { definition, info, diagnostics } = parseFolder(main, main.source);
    if (definition === undefined) return { info, diagnostics };
    const program = lowerBot(definition, { file: main.path, line: 1, column: 1 });
    return { info: { ...info, inputs: program.parts[program.main]?.inputs ?? {} }, diagnostics, program };
  },
  unknownCall: "BOTS_UNKNOWN_WORKFLOW",
  // Its actions are rows of the run: two bots at once could not tell theirs apart.
  alone: { word: "bot", when: "at once" },
};

function parseFolder(file: FolderFile, source: WorkflowInfo["source"]): ParsedBot {
  const root = file.path.replace(/\/(?:config\/)?bot_config\.json$/, "");
  return parseBot({ root, files: file.files ?? [{ path: file.path.slice(root.length + 1), text: file.text }], source });
}
