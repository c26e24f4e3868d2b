/** The commented configuration of `init --example`. */
export const exampleConfig: Readonly<Record<string, string>> = {
  ".waymark/config.yaml": `# Settings of this project; \`waymark config\` shows every value and where it comes from.
# Take the # away from what you want to change.

# limits:
#   parallel_commands: 4        # shell commands at the same time
#   command_timeout_ms: 600000  # for commands whose step names no time

# budget:
#   steps: 200                  # a run asks before it takes more
#   minutes: 60

# mcp_servers:                  # tool servers the engine calls itself
#   files:
#     command: npx
#     args: [-y, some-mcp-server]
`,
};
