// @ts-check
import { checklistPage } from "./checklist-page.mjs";
import { cliPage } from "./cli-page.mjs";
import { configurationPage } from "./configuration-page.mjs";
import { errorsPage } from "./errors-page.mjs";
import { machinePage } from "./machine-page.mjs";
import { stepsPage } from "./steps-page.mjs";
import { toolsPage } from "./tools-page.mjs";

/** Generated pages of docs/ by file name. @type {Record<string, () => Promise<string>>} */
export const pages = {
  "checklist-reference.md": checklistPage,
  "cli.md": cliPage,
  "configuration.md": configurationPage,
  "errors.md": errorsPage,
  "machine-reference.md": machinePage,
  "steps-reference.md": stepsPage,
  "tools.md": toolsPage,
};
