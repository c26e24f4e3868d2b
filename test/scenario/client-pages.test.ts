/** docs/clients/<client>.md shows byte for byte what `waymark init` writes for that client. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCliBench } from "../process/cli-world.ts";

const folder = join(import.meta.dirname, "../../docs/clients");
const pages = readdirSync(folder);

test("there is a page for every client, and no other", async () => {
  const bench = await openCliBench();
  const { stderr } = await bench.run(["init", "--client", "none"]);
  const [, names = ""] = /Clients are (.*), or `all`/.exec(stderr) ?? [];
  const told = pages.map((page) => /waymark init --client (\S+)/.exec(readFileSync(join(folder, page), "utf8"))?.[1] ?? page);
  expect(told.toSorted()).toEqual(names.split(", ").toSorted());
  await bench.close();
});

test.each(pages)("%s: its line writes the files that it shows", async (page) => {
  const text = readFileSync(join(folder, page), "utf8");
  const [, line = ""] = /^```sh\nwaymark (.*)\n```$/m.exec(text) ?? [];
  const shown = [...text.matchAll(/^```\w+ file=(\S+)\n([^]*?)^```$/gm)].map(([, file = "", content = ""]) => [file, content] as const);
  expect(shown.length).toBeGreaterThan(0);
  const bench = await openCliBench();
  const bin = join(bench.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "waymark"), "");
  chmodSync(join(bin, "waymark"), 0o755);
  const before = readdirSync(bench.home);
  expect(await bench.run([...line.split(" "), "--yes"], { env: { PATH: bin } })).toMatchObject({ code: 0, stderr: "" });
  for (const [file, content] of shown) {
    const path = file.startsWith("~/") ? join(bench.home, file.slice(2)) : join(bench.workspace, file);
    expect(existsSync(path), file).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(content);
  }
  const written = [bench.workspace, bench.home].flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !entry.parentPath.startsWith(bin)),
  );
  expect(written).toHaveLength(shown.length);
  expect(before).toEqual(["bin"]);
  await bench.close();
});
