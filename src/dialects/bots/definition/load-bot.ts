import type { CallingSet, FolderFile, LoweredWorkflow, WorkflowInfo, WorkflowReference } from "../../../source/index.ts";
import { lowerBot } from "./lower.ts";
import { parseBot, type BotFiles } from "./parse-bot.ts";

export function loadBot({ main }: CallingSet): LoweredWorkflow {
  const { definition, info, diagnostics } = parseBot(botFiles(main, main.source));
  if (definition === undefined) return { info, diagnostics };
  const program = lowerBot(definition, { file: main.path, line: 1, column: 1 });
  return { info: { ...info, inputs: program.parts[program.main]?.inputs ?? {} }, diagnostics, program };
}

/** Workflows that actions of a bot run. */
export function calledByBot(file: FolderFile): readonly WorkflowReference[] {
  return parseBot(botFiles(file, "project")).calls;
}

function botFiles(file: FolderFile, source: WorkflowInfo["source"]): BotFiles {
  const root = file.path.replace(/\/(?:config\/)?bot_config\.json$/, "");
  return { root, files: file.files ?? [{ path: file.path.slice(root.length + 1), text: file.text }], source };
}
