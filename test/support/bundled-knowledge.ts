import { createTopicLayers } from "../../src/host/index.ts";
import { openKnowledge, type Knowledge } from "../../src/knowledge/index.ts";

/** The knowledge of the package and nothing else. */
export function bundledKnowledge(workspace: string, bundledFolder: string, scratch: string): Knowledge {
  return openKnowledge({
    files: createTopicLayers({ workspace, bundledFolder, configFolder: scratch, extraFolders: [], cacheFolder: scratch }),
  });
}
