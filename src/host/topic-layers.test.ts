import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TopicFiles, TopicReading } from "../ports/index.ts";
import { createTopicLayers } from "./topic-layers.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waymark-topics-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

const open = (extraFolders: readonly string[] = []): TopicFiles =>
  createTopicLayers({
    workspace: join(folder, "ws"),
    bundledFolder: join(folder, "bundled"),
    configFolder: join(folder, "config"),
    extraFolders,
    cacheFolder: join(folder, "cache"),
  });

test("layers lie in their order, relative folders in the workspace, and opening touches nothing", async () => {
  const { layers } = open(["shared/know", join(folder, "checkout")]);
  expect(layers.map(({ name, folder: place }) => [name, place.slice(folder.length + 1).replaceAll("\\", "/")])).toEqual([
    ["bundled", "bundled"],
    ["user", "config/knowledge"],
    ["extra", "ws/shared/know"],
    ["extra", "checkout"],
    ["project", "ws/.waymark/knowledge"],
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test("markdown files and the list of specialists are listed with size and time; the rest is not", async () => {
  await put("bundled/topics/a/one.md", "one");
  await put("bundled/topics/a/picture.png", "x");
  await put("bundled/.git/x.md", "x");
  await put("bundled/node_modules/p/readme.md", "x");
  await put("bundled/specialists.yaml", "[]");
  await put("bundled/topics/specialists.yaml", "[]");
  const files = open();
  const { files: listed, problems } = await files.list(files.layers[0]!);
  expect(listed.map(({ path, size }) => [path, size])).toEqual([
    ["specialists.yaml", 2],
    ["topics/a/one.md", 3],
  ]);
  expect(listed[1]!.mtime).toBeGreaterThan(0);
  expect(problems).toEqual([]);
});

test("a folder that does not exist is empty; one that was configured is a problem", async () => {
  const files = open(["missing"]);
  await mkdir(join(folder, "ws"));
  const listings = await Promise.all(files.layers.map((layer) => files.list(layer)));
  expect(listings.map(({ files: listed }) => listed)).toEqual([[], [], [], []]);
  expect(listings.map(({ problems }) => problems.map(({ code }) => code))).toEqual([[], [], ["HOST_FILE_UNREADABLE"], []]);
});

test("text is read without its mark, also from UTF-16; what is absent is undefined", async () => {
  await put("bundled/topics/a/mark.md", "\uFEFFtext");
  await put("bundled/topics/a/wide.md", Buffer.from("\uFEFFwide ä", "utf16le"));
  const files = open();
  const layer = files.layers[0]!;
  expect(await files.read(layer, "topics/a/mark.md")).toBe("text");
  expect(await files.read(layer, "topics/a/wide.md")).toBe("wide ä");
  expect(await files.read(layer, "topics/a/none.md")).toBeUndefined();
  expect(await files.read(layer, "topics/a")).toBeUndefined();
  const read: TopicReading[] = [];
  for await (const reading of files.readAll(layer, ["topics/a/mark.md", "topics/a/none.md"])) read.push(reading);
  expect(read).toEqual([{ path: "topics/a/mark.md", text: "text" }, { path: "topics/a/none.md" }]);
});

test("no path and no link leads out of a layer", async () => {
  await put("outside/secret.md", "secret");
  await put("bundled/topics/a/one.md", "one");
  await symlink(join(folder, "outside", "secret.md"), join(folder, "bundled/topics/a/link.md"));
  await symlink(join(folder, "outside"), join(folder, "bundled/topics/away"));
  await symlink(join(folder, "bundled/topics/a/one.md"), join(folder, "bundled/topics/a/same.md"));
  const files = open();
  const layer = files.layers[0]!;
  const { files: listed, problems } = await files.list(layer);
  expect(listed.map(({ path }) => path)).toEqual(["topics/a/one.md", "topics/a/same.md"]);
  expect(problems.map(({ code }) => code)).toEqual(["HOST_PATH_OUTSIDE", "HOST_PATH_OUTSIDE"]);
  for (const path of [
    "../outside/secret.md",
    join(folder, "outside/secret.md"),
    "topics/a/link.md",
    "topics/away/secret.md",
    "topics\\..\\..\\outside",
  ])
    await expect(files.read(layer, path)).rejects.toMatchObject({ code: "HOST_PATH_OUTSIDE" });
});

test("the project's folder must lie in the workspace", async () => {
  await put("outside/topics/a/secret.md", "secret");
  await mkdir(join(folder, "ws/.waymark"), { recursive: true });
  await symlink(join(folder, "outside"), join(folder, "ws/.waymark/knowledge"));
  const files = open();
  const layer = files.layers.at(-1)!;
  expect(await files.list(layer)).toMatchObject({ files: [], problems: [{ code: "HOST_PATH_OUTSIDE" }] });
  expect(await files.read(layer, "topics/a/secret.md")).toBeUndefined();
});

test("a file that is too large is a problem and is not read", async () => {
  await put("bundled/topics/a/large.md", Buffer.alloc(1024 * 1024 + 1, 97));
  const files = open();
  expect(await files.list(files.layers[0]!)).toMatchObject({ files: [], problems: [{ code: "HOST_FILE_TOO_LARGE" }] });
  await expect(files.read(files.layers[0]!, "topics/a/large.md")).rejects.toMatchObject({ code: "HOST_FILE_TOO_LARGE" });
});

test("each layer has a cache of its own that a later process finds", async () => {
  const files = open(["x"]);
  expect(await files.readCache(files.layers[0]!)).toBeUndefined();
  await files.writeCache(files.layers[0]!, "one");
  await files.writeCache(files.layers[2]!, "two");
  await files.writeCache(files.layers[0]!, "three");
  const later = open(["x"]);
  expect(await Promise.all(later.layers.map((layer) => later.readCache(layer)))).toEqual(["three", undefined, "two", undefined]);
  expect(await readdir(join(folder, "cache"))).toHaveLength(2);
});
