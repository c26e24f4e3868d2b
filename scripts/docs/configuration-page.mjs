// @ts-check
import { loadRooms } from "./load-rooms.mjs";

/** Every setting with its default, variable and flag. */
export async function configurationPage() {
  const { settings } = await loadRooms();
  const rows = settings.map((/** @type {any} */ setting) => {
    const preset =
      setting.default === null
        ? "none"
        : Array.isArray(setting.default)
          ? setting.default.length === 0
            ? "empty"
            : setting.default.join(", ")
          : String(setting.default);
    return `| \`${setting.key}\` | ${preset} | ${setting.variable === undefined ? "" : `\`${setting.variable}\``} | ${setting.flag === undefined ? "" : `\`${setting.flag}\``} | ${setting.description.replaceAll("|", "\\|")} |`;
  });
  return `# Settings

Settings come from, the later the stronger: defaults, the user's \`config.yaml\`, the project's \`.waymark/config.yaml\`, environment
variables, flags. An unknown key is an error. \`waymark config\` prints each effective value and where it comes from.

| setting | default | variable | flag | meaning |
|---|---|---|---|---|
${rows.join("\n")}

A tool server is given as \`command\`, \`args\`, \`env\` and \`cwd\`, or as a loopback \`url\`:

\`\`\`yaml
mcp_servers:
  checks:
    command: node
    args: [tools/server.mjs]
\`\`\`

The engine calls its tools itself for \`mcp_call\` steps; without a server the agent gets these steps. The command lines of a
project's servers are part of what \`waymark allow\` covers.
`;
}
