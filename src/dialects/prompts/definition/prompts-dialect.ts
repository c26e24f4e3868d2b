import * as z from "zod";
import type { JsonObject } from "../../../base/index.ts";
import type { Dialect } from "../../../source/index.ts";
import { explainPrompts } from "./explain-prompts.ts";
import { loadPrompts } from "./parse-prompts.ts";
import { recognisePrompts } from "./recognise-prompts.ts";
import { promptReferences } from "./references.ts";
import { promptsShape } from "./shape/prompts-shape.ts";
import { promptFolders, scriptFolders, stepFolders } from "./vocabulary.ts";

const endings = [".yaml", ".yml"];
const texts = [stepFolders, scriptFolders];

export const promptsDialect: Dialect = {
  name: "prompts",
  places: [
    { endings, texts },
    { endings, folders: promptFolders, firstValid: true, texts },
  ],
  owns: recognisePrompts,
  references: promptReferences,
  load: loadPrompts,
  unknownCall: "PROMPTS_UNKNOWN_WORKFLOW",
  explain: explainPrompts,
  jsonSchema: () => z.toJSONSchema(promptsShape, { io: "input", target: "draft-7" }) as JsonObject,
};
