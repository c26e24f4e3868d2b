import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { hostname } from "node:os";
import type { Children, Host } from "../ports/index.ts";
import { workspaceMissing } from "./codes.ts";
import { WorkflowFolders, type FolderOptions } from "./find-workflows.ts";
import { GroupRecords } from "./group-records.ts";
import { hashOfFile } from "./hash-of-file.ts";
import type { Log } from "./log.ts";
import { ServerTools } from "./mcp-tools.ts";
import { PermissionFile } from "./permissions.ts";
import { createProcessId, isProcessGone } from "./process-id.ts";
import { createSeal, otherKeys } from "./seal-key.ts";
import { ShellCommands } from "./run-command.ts";
import type { Config } from "./settings.ts";
import { createChildren } from "./start-child.ts";
import { StoreMarkFile } from "./store-marks.ts";
import { systemAlarms } from "./system-alarms.ts";
import { userFolders, type Environment } from "./user-folders.ts";
import { createViewFiles } from "./view-files.ts";
import { pathForOutput } from "./workspace-path.ts";

export interface HostOptions {
  readonly workspace: string;
  readonly config: Config;
  /** Workflows that come with the package. */
  readonly bundledFolder: string;
  /** What workflows look like on disk. */
  readonly places: FolderOptions["places"];
  /** Large output (`tmp/`), views (`views/`) and records of process groups (`groups/`) are below it. */
  readonly storeFolder: string;
  readonly log: Log;
  /** This process' own environment unless given. */
  readonly env?: Environment;
}

/** This computer, with what the surfaces need beyond the port. */
export interface LocalHost extends Host {
  readonly commands: ShellCommands;
  readonly tools: ServerTools;
  /** For coding agents. Who starts one ends it. */
  readonly children: Children;
  readonly definitions: WorkflowFolders;
  readonly permissions: PermissionFile;
  /** Ends every command and tool server; to be awaited before this process exits. */
  close(): Promise<void>;
}

/** Starts nothing and reads nothing but the workspace's place: every part does its work when it is first used. */
export async function createHost(options: HostOptions): Promise<LocalHost> {
  const { config, storeFolder, log } = options;
  const env = options.env ?? process.env;
  const real = await realFolder(options.workspace);
  const workspace = pathForOutput(real);
  const { home, data } = userFolders(env);
  const groups = new GroupRecords(storeFolder, log);
  const commands = new ShellCommands({ parallel: config.limits.parallel_commands, storeFolder, groups, env, log });
  const tools = new ServerTools({ servers: config.mcp_servers, workspace: real, env, groups, log });
  const seal = createSeal(data);
  return {
    workspace,
    processId: createProcessId(randomText(8)),
    isGone: isProcessGone,
    computer: hostname(),
    hasFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
    hasPath: existsSync,
    alarms: systemAlarms,
    commands,
    tools,
    children: createChildren(groups),
    definitions: new WorkflowFolders({
      workspace: real,
      home,
      bundledFolder: options.bundledFolder,
      extraFolders: config.workflows.folders,
      places: options.places,
      log,
    }),
    permissions: new PermissionFile({ workspace, dataFolder: data, log }),
    storeMarks: new StoreMarkFile({ workspace, dataFolder: data, log }),
    views: createViewFiles(storeFolder),
    zone: (wall) => -new Date(wall).getTimezoneOffset(),
    uuid: randomUUID,
    randomText,
    seal: seal.make,
    isSealed: seal.isOf,
    sealHere: seal.makeHere,
    sealKeys: otherKeys(data),
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
    hashOfFile: (path) => hashOfFile(real, path),
    log,
    close: async () => void (await Promise.all([commands.killAll(), tools.close()])),
  };
}

async function realFolder(workspace: string): Promise<string> {
  const real = await realpath(workspace).catch((cause: unknown) => {
    throw workspaceMissing(workspace, cause);
  });
  if (!(await stat(real)).isDirectory()) throw workspaceMissing(workspace);
  return real;
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Every letter equally likely: bytes beyond the last whole multiple are thrown away. */
function randomText(length: number): string {
  const most = 256 - (256 % letters.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < most) text += letters[byte % letters.length];
  }
  return text;
}
