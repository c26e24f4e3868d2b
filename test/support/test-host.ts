import { workflowPlaces } from "../../src/bin/dialect-parts.ts";
import { createHost, createLog, loadConfig, type Config, type LocalHost } from "../../src/host/index.ts";

/** This computer as the product sees it, for one workspace, with the configuration that counts there. */
export async function createTestHost(
  workspace: string,
  bundledFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly host: LocalHost; readonly config: Config }> {
  const { config } = await loadConfig({ workspace, env, flags: {} });
  const log = createLog({ level: "error" });
  return {
    host: await createHost({ workspace, config, bundledFolder, places: workflowPlaces, storeFolder: config.store, log, env }),
    config,
  };
}
