// @ts-check
// `npm run test:long`: proofs that take minutes: stores of earlier versions, more random walks of the machine, obedient clients of
// the built package over every bundled workflow and example, the dialect of docs/adding-a-dialect.md, and very large values;
// and programs that are killed while they drive chats, graphs and worktrees.
import { runNode, runTool } from "./run-tool.mjs";

const { code: built } = await runNode(["scripts/build.mjs", "--if-stale"], { live: true });
process.exitCode = built === 0 ? (await runTool("vitest", ["run", "--project", "long"], { live: true })).code : built;
