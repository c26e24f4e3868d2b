/** Program of a scanning thread: it receives jobs, reads and scans files, and answers in chunks. */
import { parentPort, workerData } from "node:worker_threads";
import { defined } from "../base/index.ts";
import type { FileScan } from "../ports/index.ts";
import { FileScanner } from "./scan-files.ts";
import { cells, idle, noPattern, type FromThread, type ToThread } from "./scan-protocol.ts";

if (parentPort !== null) serve(parentPort, new Int32Array(workerData as SharedArrayBuffer));

function serve(port: NonNullable<typeof parentPort>, progress: Int32Array): void {
  const jobs = new Map<number, FileScanner>();
  const enter = (pattern: number, bytes: number): void => {
    Atomics.store(progress, cells.pattern, pattern);
    Atomics.store(progress, cells.kilobytes, bytes >> 10);
    Atomics.add(progress, cells.step, 1);
  };
  const scan = ({ job, task, paths, leave, edits, findings }: Extract<ToThread, { kind: "scan" }>): void => {
    const scanner = jobs.get(job);
    if (scanner === undefined) throw new Error("a task came without its job");
    const results: FileScan[] = [];
    Atomics.store(progress, cells.task, task);
    for (const [file, path] of paths.entries()) {
      Atomics.store(progress, cells.file, file);
      enter(noPattern, 0);
      const edit = edits.find((each) => each.path === path);
      results.push(scanner.scan(path, { leave, enter, ...defined({ edit, findings: findings?.[file] }) }));
    }
    const answer: FromThread = { task, results: JSON.stringify(results) };
    port.postMessage(answer);
    Atomics.store(progress, cells.task, idle);
    Atomics.add(progress, cells.step, 1);
  };
  port.on("message", (message: ToThread) => {
    if (message.kind === "open") jobs.set(message.job, new FileScanner(message));
    else if (message.kind === "close") jobs.delete(message.job);
    else scan(message);
  });
}
