/** Composition root: everything is put together here and nowhere else. */
import { runCli } from "../cli/index.ts";
import { createWorld } from "./create-world.ts";

process.exitCode = await runCli(createWorld(), process.argv.slice(2));
