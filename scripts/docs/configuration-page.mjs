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

## The workspace

Everything that Waymark does belongs to one folder, the workspace: its definitions, its settings and its runs. It is the folder that
\`-C\` names, and without it the first of these that there is:

1. the nearest folder upwards that has a folder of definitions: \`.waymark\`, \`.aromcp\`, \`.archon\`, \`.claude/workflows\`,
   \`.agents/workflows\` or \`.agents-work\`. Inside a git repository it is not looked for above the folder with \`.git\`;
2. the folder with \`.git\` (in worktrees and submodules \`.git\` is a file);
3. the nearest folder upwards with a file of a project, such as \`package.json\`, \`pyproject.toml\`, \`Cargo.toml\`, \`go.mod\` or
   \`app.json\`;
4. the current folder.

Your home folder, the folder for temporary files and the root of the disk are never chosen, and nothing above them is looked at; projects
inside them are found as everywhere. Started in one of them, a command refuses with \`CLI_NO_WORKSPACE\` until you name a folder with \`-C\`.
\`waymark start\`, \`init\`, \`scan\` and \`status\` name the workspace, and so do the instructions of the MCP server.

## All settings

Settings come from, the later the stronger: defaults, the user's \`config.yaml\`, the project's \`.waymark/config.yaml\`, environment
variables, flags. The user's file is \`~/.config/waymark/config.yaml\` (\`$XDG_CONFIG_HOME/waymark\` where that is set), on macOS
\`~/Library/Application Support/waymark/config.yaml\`, on Windows \`%APPDATA%\\waymark\\config.yaml\`; \`WAYMARK_CONFIG_HOME\` names another folder.
An unknown key is an error. \`waymark config\` prints each effective value and where it comes from.

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
