import type { CallingSet, Dialect, FolderFile, LoweredWorkflow, WorkflowInfo } from "../../source/index.ts";
import { lowerBot } from "./lower.ts";
import { parseBot, type BotFiles } from "./parse-bot.ts";
import { recogniseBot } from "./recognise-bot.ts";

export const botsDialect: Dialect = {
  name: "bots",
  owns: ({ path }) => recogniseBot(path) !== undefined,
  references: (file) => ({ workflows: parseBot(botFiles(file, "project")).calls, files: [] }),
  load: loadBot,
  unknownCall: "BOTS_UNKNOWN_WORKFLOW",
  // Its actions are rows of the run: two bots at once could not tell theirs apart.
  alone: { word: "bot", when: "at once" },
};

function loadBot({ main }: CallingSet): LoweredWorkflow {
  const { definition, info, diagnostics } = parseBot(botFiles(main, main.source));
  if (definition === undefined) return { info, diagnostics };
  const program = lowerBot(definition, { file: main.path, line: 1, column: 1 });
  return { info: { ...info, inputs: program.parts[program.main]?.inputs ?? {} }, diagnostics, program };
}

function botFiles(file: FolderFile, source: WorkflowInfo["source"]): BotFiles {
  const root = file.path.replace(/\/(?:config\/)?bot_config\.json$/, "");
  return { root, files: file.files ?? [{ path: file.path.slice(root.length + 1), text: file.text }], source };
}
