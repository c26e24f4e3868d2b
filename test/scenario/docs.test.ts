import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { openCliBench } from "../process/cli-world.ts";
import { pages } from "../../scripts/docs/pages.mjs";

const root = resolve(import.meta.dirname, "../..");

function pagesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md"));
}

describe("generated pages are fresh", () => {
  test.each(Object.entries(pages))("docs/%s", async (name, make) => {
    expect(readFileSync(join(root, "docs", name), "utf8"), "run `npm run docs`").toBe(await make());
  });
});

test("every page the README points to exists, and its commands are commands", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const linked = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = ""]) => path);
  expect(linked).toContain("docs/cli.md");
  expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const commands = [...readme.matchAll(/^waymark (\w+)/gm)].map(([, command = ""]) => command);
  const cli = readFileSync(join(root, "docs/cli.md"), "utf8");
  expect(commands).toContain("start");
  expect(commands.filter((command) => !cli.includes(`### \`waymark ${command}`))).toEqual([]);
});

test("what README and pages link to is there and part of the package", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly files: readonly string[] };
  const shipped = (path: string): boolean => files.some((entry) => path === entry || path.startsWith(`${entry}/`));
  const broken = ["README.md", ...pagesBelow("docs"), ...pagesBelow("examples")].flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .map(([, link = ""]) => relative(root, resolve(root, dirname(page), link)).replaceAll("\\", "/"))
      .filter((path) => !existsSync(join(root, path)) || !shipped(path))
      .map((path) => `${page}: ${path}`),
  );
  expect(broken).toEqual([]);
});

test("the script of agents.md that reports a step does so", async () => {
  const blocks = [...readFileSync(join(root, "docs/agents.md"), "utf8").matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ""]) => text);
  const step = "{ id: count, type: agent_shell_command, command: ls, state_update: { path: raw.said } }";
  const bench = await openCliBench({
    ".waymark/workflows/flow.yaml": `name: flow\ndescription: x\nversion: "1.0.0"\ndefault_state: { raw: { said: "" } }\nsteps: [${step}]\n`,
    "agent.yaml": blocks.find((text) => text.includes("(?<action>")) ?? "",
  });
  try {
    await bench.run(["allow", "flow", "--yes"], { terminal: true });
    const { code, stdout } = await bench.run(["run", "flow", "--agent", "script:agent.yaml", "--permission", "all"]);
    expect(code, stdout).toBe(0);
    const [run = ""] = /wf-flow-[\w-]+/.exec(stdout) ?? [];
    expect(await bench.json(["state", run])).toMatchObject({ state: { said: "3 files" } });
  } finally {
    await bench.close();
  }
});

test("words.md has at most fifteen words, and README names it", () => {
  const words = [...readFileSync(join(root, "docs/words.md"), "utf8").matchAll(/^\| \*\*(\w+)\*\* \|/gm)].map(([, word = ""]) => word);
  expect(words).toContain("run");
  expect(words.length).toBeLessThanOrEqual(15);
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain("](docs/words.md)");
});
