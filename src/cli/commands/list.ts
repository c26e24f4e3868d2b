import type { Given } from "../define-command.ts";
import { searchedFolders } from "../load-named.ts";
import { shorten } from "../render-table.ts";
import { isTestFile } from "../testing/test-files.ts";

export async function listCommand({ session, options }: Given): Promise<number> {
  const { out } = session;
  const { found, folders } = await session.withEngine(async (context) => ({
    found: await context.catalog.list(options["global"] !== false),
    folders: searchedFolders(context),
  }));
  const workflows = found.filter((entry) => !isTestFile(entry.path) && (options["all"] === true || !entry.shadowed));
  const hasOwn = workflows.some((entry) => entry.source === "project");
  out.document({ workflows, ...(hasOwn ? {} : { looked_in: folders }) });
  if (options["names"] === true) for (const entry of workflows) out.line(entry.name);
  else if (workflows.length > 0) {
    const rows = workflows.map((entry) => [
      entry.name,
      `${entry.source}${entry.shadowed ? " (shadowed)" : ""}`,
      entry.version,
      entry.problems > 0 ? `has problems: waymark validate ${entry.name}` : shorten(entry.description, 70),
    ]);
    out.table(["NAME", "SOURCE", "VERSION", "DESCRIPTION"], rows);
    const hidden = found.filter((entry) => !isTestFile(entry.path) && entry.shadowed).map(({ name, source }) => `${name} (${source})`);
    if (hidden.length > 0 && options["all"] !== true)
      out.line(`Shadowed by one of the same name: ${hidden.join(", ")}. See waymark list --all.`);
  }
  if (options["names"] === true) return 0;
  if (!hasOwn) out.line(`The project has no workflows of its own. Waymark looked in ${folders.join(", ")}.`);
  const [first] = workflows;
  out.hint(first === undefined ? "→ waymark init --example writes a small one to begin with." : `→ waymark info ${first.name}`);
  return 0;
}
