import type { Given } from "../define-command.ts";
import { shorten } from "../render-table.ts";
import { isTestFile } from "../testing/test-files.ts";

export async function listCommand({ session, options }: Given): Promise<number> {
  const { out } = session;
  const found = await session.withEngine((context) => context.catalog.list(options["global"] !== false));
  const workflows = found.filter((entry) => !isTestFile(entry.path) && (options["all"] === true || !entry.shadowed));
  out.document({ workflows });
  if (options["names"] === true) for (const entry of workflows) out.line(entry.name);
  else if (workflows.length === 0) {
    out.line("There are no workflows here yet.");
    out.hint("→ waymark init --example writes a small one to begin with.");
  } else {
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
    out.hint(`→ waymark info ${workflows[0]?.name ?? "<name>"}`);
  }
  return 0;
}
