import { textOf, type Diagnostic, counted } from "../../base/index.ts";
import { didYouMean, failure } from "../codes.ts";
import type { Given } from "../define-command.ts";
import type { SettingView } from "../world.ts";

export async function configCommand({ session, args: [key] }: Given): Promise<void> {
  const { out, world, flags } = session;
  const { values, diagnostics } = await world.loadConfig(flags);
  const chosen = key === undefined ? values : values.filter((value) => value.key === key || value.key.startsWith(`${key}.`));
  const known = values.map((value) => value.key);
  if (key !== undefined && chosen.length === 0)
    throw failure("CLI_UNKNOWN_SETTING", `There is no setting \`${key}\`.${didYouMean(key, known)}`);
  const errors = diagnostics.filter((problem) => problem.severity === "error");
  out.document({ workspace: session.workspace, settings: chosen, ...(diagnostics.length === 0 ? {} : { diagnostics }) });
  const [only] = chosen;
  if (key !== undefined && chosen.length === 1 && only !== undefined) out.line(settingText(only));
  else {
    const rows = chosen.map((view) => [view.key, settingText(view), view.at === undefined ? view.source : `${view.source} (${view.at})`]);
    out.table(["SETTING", "VALUE", "SOURCE"], rows);
  }
  for (const problem of diagnostics) if (problem.severity === "warning") out.aside(problemText(problem));
  if (errors.length > 0)
    throw failure("CLI_CONFIG", `The configuration has ${counted(errors.length, "error")}:\n${errors.map(problemText).join("\n")}`);
}

function settingText({ value }: SettingView): string {
  return value === null ? "none" : textOf(value);
}

function problemText({ place, message, code }: Diagnostic): string {
  return `  ${place === undefined ? "" : `${place.file}:${place.line}:${place.column} `}${message} (${code})`;
}
