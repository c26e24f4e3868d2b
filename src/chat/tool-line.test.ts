import { expect, test } from "vitest";
import { toolLine } from "./tool-line.ts";

test.each([
  ["Bash", { command: "npm test" }, "🔧 BASH\nnpm test"],
  ["Bash", { command: "x".repeat(120) }, `🔧 BASH\n${"x".repeat(100)}...`],
  ["Read", { file_path: "/a/b.ts" }, "🔧 READ\n/a/b.ts"],
  ["write", { path: "plan.md", content: "long" }, "🔧 WRITE\nplan.md"],
  ["Edit", { file_path: "a.ts", old_string: "x" }, "🔧 EDIT\na.ts"],
  ["Glob", { pattern: "**/*.ts" }, "🔧 GLOB\n**/*.ts"],
  ["Grep", { pattern: "todo", path: "src" }, "🔧 GREP\ntodo"],
  ["mcp__github__list_issues", { owner: "o" }, "🔧 MCP__GITHUB__LIST_ISSUES\nMCP: github list_issues"],
  ["WebSearch", { query: "q" }, '🔧 WEBSEARCH\n{"query":"q"}'],
  ["Other", { text: "y".repeat(200) }, `🔧 OTHER\n{"text":"${"y".repeat(71)}...`],
  ["Think", undefined, "🔧 THINK"],
  ["Think", {}, "🔧 THINK"],
  ["run", "ls\n-l", "🔧 RUN\nls -l"],
] as const)("%s: %j", (name, input, line) => {
  expect(toolLine(name, input)).toBe(line);
});
