// @ts-check
import { agentsPage } from "./agents-page.mjs";
import { cliPage } from "./cli-page.mjs";
import { configurationPage } from "./configuration-page.mjs";
import { dialectPages } from "./dialect-page.mjs";
import { errorsPage } from "./errors-page.mjs";
import { featuresPages } from "./features-page.mjs";
import { rulesPage } from "./rules-page.mjs";
import { toolsPage } from "./tools-page.mjs";

/** Generated pages of docs/ by file name. @type {Record<string, () => Promise<string>>} */
export const pages = {
  ...(await dialectPages()),
  ...featuresPages(),
  "agents.md": agentsPage,
  "cli.md": cliPage,
  "configuration.md": configurationPage,
  "errors.md": errorsPage,
  "rules.md": rulesPage,
  "tools.md": toolsPage,
};
