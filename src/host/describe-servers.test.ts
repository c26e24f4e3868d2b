import fc from "fast-check";
import { expect, test } from "vitest";
import { describeServer, describeServers } from "./describe-servers.ts";
import type { ServerConfig } from "./settings.ts";

const describe = (server: ServerConfig): string => describeServers({ mcp_servers: { s: server } })[0]!;

test("shows exact command lines of the project's servers, sorted by name", () => {
  const servers: Record<string, ServerConfig> = {
    web: { url: "http://127.0.0.1:1/mcp", from: "project" },
    lint: {
      command: "node",
      args: ["lint.mjs", "two words", "it's"],
      env: { NODE_OPTIONS: "--require ./x.js" },
      cwd: "tools",
      from: "project",
    },
    mine: { command: "docs", args: [], env: { API: "secret" }, from: "user" },
  };
  expect(describeServers({ mcp_servers: servers })).toEqual([
    `lint: cd tools && NODE_OPTIONS='--require ./x.js' node lint.mjs 'two words' 'it'\\''s'`,
    "web: http://127.0.0.1:1/mcp",
  ]);
  expect(describeServer(servers["mine"]!, "names")).toBe("API=... docs");
});

test("characters a terminal would obey or hide are spelled out", () => {
  expect(describe({ command: "sh", args: ["-c", "a\u001b[2Kb\n\u202e'\\"], env: {}, from: "project" })).toBe(
    "s: sh -c $'a\\u001b[2Kb\\u000a\\u202e\\'\\\\'",
  );
});

test("different commands never look the same", () => {
  const word = fc.string({ unit: fc.constantFrom("a", " ", "'", "\\", "$", "\n", "u", "0", "=", "A", "\u200b"), maxLength: 6 });
  const server = fc.record({ command: word, args: fc.array(word, { maxLength: 3 }), env: fc.dictionary(fc.constantFrom("A", "B"), word) });
  fc.assert(
    fc.property(server, server, (one, two) => {
      const same =
        JSON.stringify([one.command, one.args, Object.entries(one.env)]) ===
        JSON.stringify([two.command, two.args, Object.entries(two.env)]);
      expect(describe({ ...one, from: "project" }) === describe({ ...two, from: "project" })).toBe(same);
    }),
    { numRuns: 500 },
  );
});
