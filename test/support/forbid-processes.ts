/** Setup of the unit tests: a test that starts a process fails. Tests that need one are scenarios or process tests. */
import processes from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { afterEach } from "vitest";

const started: string[] = [];

for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"] as const) {
  Object.assign(processes, {
    [name]: (command: string) => {
      started.push(command);
      throw new Error(`A unit test may not start \`${command}\`.`);
    },
  });
}
syncBuiltinESMExports();

afterEach(() => {
  const all = started.splice(0).join(", ");
  if (all !== "") throw new Error(`The test starts ${all}. Name its file *.scenario.test.ts or *.process.test.ts.`);
});
