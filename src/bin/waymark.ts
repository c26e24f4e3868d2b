/** Composition root: everything is put together here and nowhere else. */
import { runCli } from "../cli/index.ts";
import { createWorld } from "./create-world.ts";
import { dialectCommands } from "./dialect-parts.ts";

process.exitCode = await runCli(createWorld(), dialectCommands, process.argv.slice(2));
