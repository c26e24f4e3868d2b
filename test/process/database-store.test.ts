/** Runs in a PostgreSQL database, through the built command. */
import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openMachine, type Machine } from "../support/machine.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres-database.ts";
import { readTree } from "../support/seed-examples.ts";

let database: TestDatabase | undefined;
const machines: Machine[] = [];
afterEach(async () => {
  await Promise.all(machines.splice(0).map((machine) => machine.close()));
  await database?.drop();
  database = undefined;
});

/** Does what the prompts of `examples/prompt-chain` ask for. */
const script = {
  turns: [
    { match: "Save the list to `(?<file>[^`]+)`", do: [{ write: { file: "$<file>", text: "- src/greet.js: greets by name\n" } }] },
    { match: "Save them to `(?<file>[^`]+)`", do: [{ write: { file: "$<file>", text: "Greets by name.\n" } }] },
    { do: [{ say: "Read it." }] },
  ],
};

test("an example on a database: every command finds the run there, and nothing shows the password or leaves it in a file", async () => {
  database = await createTestDatabase();
  const [, password = ""] = /:([^:@/]+)@/.exec(database.url) ?? [];
  const example = await readTree(join(import.meta.dirname, "../../examples/prompt-chain"));
  const machine = await openMachine({
    name: "one",
    files: { ...example, "agent.json": JSON.stringify(script) },
    url: database.url,
    config: { agents: { fake: { protocol: "script", file: "agent.json", permission: "edit" } } },
    env: { WAYMARK_LOG: "debug", WAYMARK_STORE_PROJECT: "" },
  });
  machines.push(machine);
  execFileSync("git", ["init", "-q", machine.workspace]);
  execFileSync("git", ["-C", machine.workspace, "remote", "add", "origin", `https://ada:${password}@git.example/team/notes.git`]);
  const said: string[] = [];
  const waymark = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await machine.waymark(...args);
    said.push(stdout, stderr);
    expect(code, `waymark ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  await waymark("allow", "release-notes", "--yes");
  expect(await waymark("run", "release-notes", "version 1.2", "--agent", "fake")).toContain("is complete.");
  const run = (await waymark("runs", "--ids")).trim();
  expect(await waymark("status", run)).toContain("completed");
  expect(await waymark("transcript", run)).toContain("Read it.");
  expect(await waymark("journal", run)).toContain("proofread");
  expect(await waymark("config", "store")).toContain("postgres://waymark@127.0.0.1:");
  const doctor = await waymark("doctor");
  for (const part of ["postgresql (PostgreSQL", "git.example/team/notes", "Every journal gives exactly the stored state."])
    expect(doctor).toContain(part);
  expect(await waymark("adopt")).toContain("is yours already");
  expect(await waymark("prune", "--older-than", "0s")).toContain("Removed 1 ended run");
  expect(said.join("\n")).not.toContain(password);
  for (const [path, text] of Object.entries(await filesBelow(machine.folder, ".git")))
    expect([path, text.includes(password)]).toEqual([path, false]);
});

test("runs that are left in the folder are named where the database has none", async () => {
  database = await createTestDatabase();
  const workflow = "name: note\ndescription: Notes.\nversion: '1'\nsteps: [{ id: a, type: user_message, message: Hello. }]\n";
  const machine = await openMachine({ name: "one", files: { ".waymark/workflows/note.yaml": workflow }, url: "" });
  machines.push(machine);
  expect(await machine.waymark("start", "note")).toMatchObject({ code: 0 });
  const said = (await machine.waymark("--store", database.url, "runs")).stdout;
  const [, line = ""] = /^Runs from before the database are in .*: waymark (.*)$/m.exec(said) ?? [];
  expect((await machine.waymark(...line.split(" "))).stdout).toContain("wf-note-");
  expect((await machine.waymark("--store", database.url, "doctor")).stdout).toContain(line);
  expect((await machine.waymark("runs")).stdout).not.toContain("Runs from before");
});

test("the tables can be made ahead of the first run, and doctor says how", async () => {
  database = await createTestDatabase();
  const machine = await openMachine({ name: "one", files: {}, url: database.url });
  machines.push(machine);
  expect((await machine.waymark("doctor")).stdout).toContain("none: `waymark adopt` as the user that owns the database makes the tables");
  expect(await machine.waymark("adopt")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Made the tables in postgres:.*The store is yours\.$/m),
  });
  expect((await machine.waymark("doctor")).stdout).toMatch(/^schema +\d+$/m);
  expect((await machine.waymark("adopt")).stdout).toContain("is yours already");
});

async function filesBelow(folder: string, without: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const kept = files.filter((path) => !path.includes(`/${without}/`));
  return Object.fromEntries(await Promise.all(kept.map(async (path) => [path, await readFile(path, "utf8")])));
}
