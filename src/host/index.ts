/**
 * This computer: shell commands, workflow files, settings, permissions, tool servers, view files, log. Implements the port
 * `Host`. Begin at `create-host.ts`. Everything is lazy, since start-up time counts: no child, no network and no optional
 * package before it is needed. Never decides what a run does, never reads a workflow's meaning, never touches the network
 * beyond this computer. Children die with this process, unless they leave their group; those of a process that was killed with
 * SIGKILL are ended by another one (`group-records.ts`).
 */
export { cloneRepository } from "./clone-repository.ts";
export { configInvalid, hostCodes, noCloneFolder, placeTaken } from "./codes.ts";
export { type ConfigValue, loadConfig } from "./config.ts";
export { type LocalHost, createHost } from "./create-host.ts";
export { describeProjectAgents } from "./describe-agents.ts";
export { describeServers } from "./describe-servers.ts";
export { holdAlone } from "./hold-alone.ts";
export { type LogFollower, followLogs } from "./follow-logs.ts";
export { type Log, createLog } from "./log.ts";
export { parseYaml } from "./parse-yaml.ts";
export { projectName } from "./project-name.ts";
export { removeDeadFiles } from "./remove-dead-files.ts";
export { type Config, settings } from "./settings.ts";
export { createChildren } from "./start-child.ts";
export { type SharedState, createSharedState, sharedStatePaths } from "./shared-state-file.ts";
export { createTopicLayers } from "./topic-layers.ts";
export { systemAlarms } from "./system-alarms.ts";
export { type Environment, userFolders } from "./user-folders.ts";
export { changesIn, makeWorktree, removeWorktree, uncommittedIn, worktreesFolder } from "./worktree.ts";
export { writeFileAtomic } from "./write-file-atomic.ts";
