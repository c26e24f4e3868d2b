// @ts-check
// `npm run test:long`: proofs on the built package that take minutes: stores of earlier versions, and obedient clients over every bundled
// workflow and example.
import { runNode, runTool } from "./run-tool.mjs";

const { code: built } = await runNode(["scripts/build.mjs", "--if-stale"], { live: true });
process.exitCode = built === 0 ? (await runTool("vitest", ["run", "--project", "long"], { live: true })).code : built;
