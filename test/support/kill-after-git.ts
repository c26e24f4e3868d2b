import { execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DrivenPackage } from "./driven-package.ts";

/** A git that kills the driver right after it did what the test waits for, once: the n-th command with these words. */
export async function killAfterGit(
  opened: DrivenPackage,
  words: string,
  nth = 1,
): Promise<{ readonly bin: string; readonly watch: (pid: number) => Promise<void> }> {
  const bin = opened.beside("bin");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  await mkdir(bin, { recursive: true });
  await writeFile(
    join(bin, "git"),
    `#!/bin/sh
"${real}" "$@"
code=$?
case " $* " in
  *" ${words} "*)
    echo >> "${bin}/seen"
    if [ "$(wc -l < "${bin}/seen")" -ge ${nth} ] && [ -f "${bin}/pid" ] && mv "${bin}/pid" "${bin}/killed" 2>/dev/null; then kill -9 "$(cat "${bin}/killed")"; fi
    ;;
esac
exit $code
`,
  );
  await chmod(join(bin, "git"), 0o755);
  return { bin, watch: (pid) => writeFile(join(bin, "pid"), String(pid)) };
}
