/** A workspace of the built package: clients over stdio, a person at a terminal, and what is left in the files. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { spawnClient, type TestClient } from "../process/mcp-client.ts";
import { openPackage } from "../process/mcp-package.ts";
import type { ClientWorld } from "./literal-client.ts";
import { readTree } from "./seed-examples.ts";

const root = join(import.meta.dirname, "../..");

export interface BuiltWorld extends ClientWorld {
  readonly folder: string;
  /** What a person types at a terminal, with the lines that follow; throws when it fails. */
  person(line: readonly string[], typed?: readonly string[]): Promise<void>;
  write(path: string, text: string): Promise<void>;
  /** The files of the workspace, without what Waymark keeps for itself. */
  files(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function openBuiltWorld(files: Readonly<Record<string, string>>): Promise<BuiltWorld> {
  const built = await openPackage(files);
  const { workspace: folder, command } = built;
  const desk: CliBench = await openCliBench();
  const clients: TestClient[] = [];
  return {
    folder,
    client: async ({ toolsets = [] } = {}) => {
      const opened = await spawnClient(command(["mcp", "--tools", toolsets.join(",")]), "legacy");
      clients.push(opened);
      return opened;
    },
    person: async (line, typed = []) => {
      const { code, stdout, stderr } = await desk.run(line, { terminal: true, typed, cwd: folder, env: command([]).env });
      if (code !== 0) throw new Error(`waymark ${line.join(" ")}: ${stdout}${stderr}`);
    },
    write: async (path, text) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    files: async () => Object.fromEntries(Object.entries(await readTree(folder)).filter(([path]) => !/^(?:\.waymark|\.git)\//.test(path))),
    close: async () => {
      for (const client of clients) await client.close();
      await desk.close();
      await built.close();
    },
  };
}

/** The folders of `examples/` and the workflows of `workflows/`. */
export async function everythingBundled(): Promise<{ readonly examples: readonly string[]; readonly workflows: readonly string[] }> {
  const [examples, workflows] = await Promise.all([
    readdir(join(root, "examples"), { withFileTypes: true }),
    readdir(join(root, "workflows"), { withFileTypes: true }),
  ]);
  return {
    examples: examples.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    workflows: workflows.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/(?:\.(?:workflow|machine))?\.yaml$/, "")),
  };
}

/** Names of the workflows that an example has, as their files say them. */
export async function workflowsOf(example: string): Promise<readonly string[]> {
  const tree = await readTree(join(root, "examples", example));
  const paths = Object.entries(tree).filter(([path]) => /^\.waymark\/workflows\/(?!shared\/).*\.ya?ml$/.test(path));
  return paths.map(([, text]) => /^(?:name|machine): *"?([^"\n]+)"?$/m.exec(text)?.[1] ?? "");
}

/** An example in a workspace of its own, one of its workflows allowed; without its tool server, so that the agent is given the calls. */
export async function openBuiltExample(name: string, workflow: string): Promise<BuiltWorld> {
  const { [".waymark/config.yaml"]: _servers, ...files } = await readTree(join(root, "examples", name));
  const world = await openBuiltWorld(files);
  await world.person(["allow", workflow, "--yes"]);
  return world;
}

const varying = /\d{4}-\d\d-\d\dT[\d:.]+Z|duration_ms\W+[\d.]+|\d+ minutes|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** A value without what differs from run to run: the id of the run, other ids made by chance, and times. */
export function settled<T>(value: T, run: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(run, "<run>").replace(varying, "<varying>")) as T;
}
