import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const { resolve } = createRequire(import.meta.url);

/** The worker of the reference: the value comes as JSON text, is parsed, transformed and turned into text inside the engine. */
const worker = `
const { parentPort, workerData } = require("node:worker_threads");
import(workerData.address).then(async ({ QuickJS }) => {
  const vm = await QuickJS.create({ wasm: workerData.wasm });
  const call = vm.evalCode("(text) => { const input = JSON.parse(text); return JSON.stringify(" + workerData.code + "); }");
  parentPort.on("message", (text) => {
    const given = vm.newString(text);
    const result = vm.callFunction(call, vm.undefined, given);
    parentPort.postMessage(result.toString());
    result.dispose();
    given.dispose();
  });
  parentPort.postMessage("ready");
});`;

/** The sandbox's engine with nothing around it but the thread it must run in: no limits, no roll-back, nothing kept. */
export async function openBareInterpreter(code: string): Promise<{ run(value: unknown): Promise<unknown>; close(): Promise<void> }> {
  const wasm = readFileSync(resolve("quickjs-wasi/quickjs.wasm"));
  const thread = new Worker(worker, { eval: true, workerData: { wasm, address: pathToFileURL(resolve("quickjs-wasi")).href, code } });
  await once(thread, "message");
  return {
    run: async (value) => {
      const answer = once(thread, "message");
      thread.postMessage(JSON.stringify(value));
      const [text] = (await answer) as [string];
      return JSON.parse(text) as unknown;
    },
    close: async () => {
      await thread.terminate();
    },
  };
}
