import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { cloneRepository, type CloneRequest } from "./clone-repository.ts";

let base: string;
let origin: string;
let into: string;
let env: Record<string, string>;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-clone-")));
  [origin, into] = [join(base, "git", "app"), join(base, "code")];
  env = { PATH: process.env["PATH"] ?? "", HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
  mkdirSync(origin, { recursive: true });
  writeFileSync(join(origin, "README.md"), "# App\n");
  git(origin, "init", "-q");
  commit(origin);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", env });
}

function commit(folder: string): void {
  git(folder, "add", "-A");
  git(folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
}

const at = (...way: readonly string[]): string => `file://${join(base, ...way)}`;
const clone = (more: Partial<CloneRequest> = {}): Promise<string> =>
  cloneRepository({ from: at("git", "app"), name: "app", into, allowed: [at("git")], env, ...more });

test("a repository below an allowed folder is there as a whole, with its origin", async () => {
  expect(await clone()).toBe(join(into, "app"));
  expect(readFileSync(join(into, "app/README.md"), "utf8")).toBe("# App\n");
  expect(git(join(into, "app"), "remote", "get-url", "origin").trim()).toBe(origin);
  expect(readdirSync(into)).toEqual(["app"]);
});

test("what a process left that was killed in the middle is removed by a later clone, and one that may be under way stays", async () => {
  for (const name of [".waymark-clone-old", ".waymark-clone-new", "other"]) mkdirSync(join(into, name, "app"), { recursive: true });
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of [".waymark-clone-old", "other"]) utimesSync(join(into, name), hourAgo, hourAgo);
  await clone();
  expect(readdirSync(into).toSorted()).toEqual([".waymark-clone-new", "app", "other"]);
});

test("what is not below an allowed address is refused, also by a link", async () => {
  mkdirSync(join(base, "git-of-others"));
  symlinkSync(origin, join(base, "git-of-others", "app"));
  symlinkSync(join(base, "git-of-others"), join(base, "git", "others"));
  mkdirSync(join(base, "secret"));
  symlinkSync(join(base, "secret"), join(base, "git", "secret"));
  const refused = { code: "HOST_CLONE_REFUSED", message: expect.stringContaining("below none of those in `chat.clone_from`") as string };
  for (const from of [at("secret"), at("git", "secret"), "https://example.org/app", at("none")])
    await expect(clone({ from })).rejects.toMatchObject(refused);
  expect(await clone({ from: at("git/others/app") })).toBe(join(into, "app"));
});

test("an address that is none is refused before git sees it, and nothing is allowed where nothing is configured", async () => {
  for (const from of ["ext::sh -c 'touch pwned'", "--upload-pack=touch pwned", `${at("git")}/../app`, "https://t0ken@example.org/app"]) {
    const failing = clone({ from });
    await expect(failing).rejects.toMatchObject({ code: "HOST_CLONE_REFUSED" });
    await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining("t0ken") as string });
  }
  await expect(clone({ allowed: [] })).rejects.toMatchObject({ message: expect.stringContaining("names no address") as string });
  expect(existsSync(into)).toBe(false);
});

test.each(["", ".git", "..", "a/b", "-x", "app.git", "a\0b"])("the name %j makes no folder", async (name) => {
  await expect(clone({ name })).rejects.toMatchObject({ code: "HOST_CLONE_REFUSED" });
});

test("what is there is not replaced", async () => {
  mkdirSync(join(into, "app"), { recursive: true });
  await expect(clone()).rejects.toMatchObject({
    code: "HOST_CLONE_REFUSED",
    fix: expect.stringContaining(`/setcwd "${into}/app"`) as string,
  });
  expect(readdirSync(join(into, "app"))).toEqual([]);
});

test("no hook, no submodule and no template is taken", async () => {
  const template = join(base, "template");
  mkdirSync(join(template, "hooks"), { recursive: true });
  writeFileSync(join(template, "hooks/post-checkout"), `#!/bin/sh\ntouch ${join(base, "hooked")}\n`);
  chmodSync(join(template, "hooks/post-checkout"), 0o755);
  git(base, "config", "--global", "init.templateDir", template);
  git(base, "config", "--global", "core.hooksPath", join(template, "hooks"));
  git(base, "config", "--global", "submodule.recurse", "true");
  const inner = join(base, "git", "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, "file"), "x");
  git(inner, "init", "-q");
  commit(inner);
  git(origin, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "inner");
  commit(origin);
  rmSync(join(base, "hooked"), { force: true });
  await clone();
  expect(existsSync(join(base, "hooked"))).toBe(false);
  expect(readdirSync(join(into, "app/inner"))).toEqual([]);
});

test("a clone that fails leaves nothing, and its reason shows no secret of the configuration", async () => {
  const server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const here = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  git(base, "config", "--global", `url.http://ada:s3cret@${here}/.insteadOf`, `http://${here}/`);
  const failing = clone({ from: `http://${here}/app`, allowed: [`http://${here}/`] });
  await expect(failing).rejects.toMatchObject({ code: "HOST_CLONE", message: expect.stringContaining("not found") as string });
  await expect(failing).rejects.not.toMatchObject({ message: expect.stringContaining("s3cret") as string });
  expect(readdirSync(into)).toEqual([]);
});

test("a clone that is cancelled ends at once and leaves nothing", async () => {
  const cancel = new AbortController();
  const server = createServer(() => cancel.abort());
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void [server.closeAllConnections(), server.close()]);
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const failing = clone({ from: `${here}app`, allowed: [here], signal: cancel.signal });
  await expect(failing).rejects.toMatchObject({ code: "HOST_CLONE", message: expect.stringContaining("it was cancelled") as string });
  expect(readdirSync(into)).toEqual([]);
  // Nothing is begun for who is gone.
  await expect(clone({ signal: cancel.signal })).rejects.toMatchObject({ code: "HOST_CLONE" });
  expect(readdirSync(into)).toEqual([]);
});

test("a server may not send git to another one", async () => {
  const asked: string[] = [];
  const other = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404).end();
  });
  await new Promise<void>((done) => void other.listen(0, "127.0.0.1", done));
  const server = createServer((request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}${request.url ?? ""}` }).end();
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void [server, other].map((each) => each.close()));
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(clone({ from: `${here}app`, allowed: [here] })).rejects.toMatchObject({ code: "HOST_CLONE" });
  expect(asked).toEqual([]);
});
