/**
 * This computer: shell commands, workflow files, settings, permissions, tool servers, view files, log. Implements the port
 * `Host`. Begin at `create-host.ts`. Everything is lazy, since start-up time counts: no child, no network and no optional
 * package before it is needed. Never decides what a run does, never reads a workflow's meaning, never touches the network
 * beyond this computer. Children die with this process, except when it is killed with SIGKILL or they leave their group.
 */
export { createHost, type LocalHost } from "./create-host.ts";
export { loadConfig, type ConfigValue } from "./config.ts";
export { settings, type Config } from "./settings.ts";
export { describeServers } from "./describe-servers.ts";
export { parseYaml } from "./parse-yaml.ts";
export { createLog, type Log } from "./log.ts";
export { createTopicLayers } from "./topic-layers.ts";
export { createSharedState, sharedStatePaths, type SharedChange, type SharedState } from "./shared-state-file.ts";
export { userFolders, type Environment } from "./user-folders.ts";
export { writeFileAtomic } from "./write-file-atomic.ts";
export { configInvalid, hostCodes } from "./codes.ts";
