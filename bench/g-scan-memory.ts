/** (g) Peak memory of a whole process that scans a large application on two threads and hands on every instance. */
import { createWorkspace } from "../src/workspace/index.ts";
import { errorRules, pattern, walk, workerProgram, workers } from "./scan-setup.ts";
import { scale, scanTree, treeFacts } from "./scan-tree.ts";
import { Verdict } from "./verdict.ts";

const root = scanTree();
const workspace = createWorkspace({ workers, workerUrl: await workerProgram() });
const message = pattern("message-call", { regex: "Message\\s*\\(", wholeWord: true, balanced: true, in: "code", flags: "i" });
const paths = await walk(workspace, root);
const begun = performance.now();
let files = 0;
let instances = 0;
let problems = 0;
for await (const scan of workspace.scan({ root, paths, rules: { ...errorRules, patterns: [...errorRules.patterns, message] } })) {
  files += 1;
  instances += scan.instances.length;
  problems += scan.problems.length;
}
const seconds = (performance.now() - begun) / 1000;
await workspace.close();

const verdict = new Verdict();
verdict.title(`(g) memory of a scan${scale === 1 ? "" : `, reduced to ${scale}`}, ${workers} threads, ${seconds.toFixed(1)} s`);
verdict.exactly("files", files, treeFacts.files);
verdict.exactly("instances", instances, treeFacts.errorCalls + treeFacts.messageCalls);
verdict.exactly("problems", problems, 0);
verdict.count("peak resident memory of the process in MB", Math.round(process.resourceUsage().maxRSS / 1000), 250);
verdict.finish();
