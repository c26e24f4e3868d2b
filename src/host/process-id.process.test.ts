import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { createProcessId, isProcessGone, placeOf } from "./process-id.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The first line of what a program prints, while it runs. */
async function begun(command: string): Promise<{ readonly child: ChildProcessByStdio<Writable, Readable, null>; readonly line: string }> {
  const child = spawn("sh", ["-c", command], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  return { child, line: text.toString().trim() };
}

const fieldsOf = (pid: number): readonly string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};
/** The id that the process would give itself, or one that began at another time or place would. */
function idOf(
  pid: number,
  { place, started = fieldsOf(pid)[19] }: { readonly place?: string; readonly started?: string | undefined } = {},
) {
  const [, here = ""] = createProcessId("r").split(".");
  return `p${pid}-abcdefgh.${place ?? here}.${started}`;
}

test("a process knows itself as alive under every name that begins with its id", () => {
  const id = createProcessId("abcdefgh");
  for (const owner of [id, `${id}-1`, `${id}-1#w1`, `${id}-http`, `${id}/3`]) expect(isProcessGone(owner), owner).toBe(false);
  expect(id.length).toBeLessThan(50);
});

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  test("a process is gone once it was killed, and not before", async () => {
    const { child } = await begun("echo here; exec sleep 1000");
    const id = idOf(child.pid ?? 0);
    expect([isProcessGone(id), isProcessGone(`${id}-2`)]).toEqual([false, false]);
    child.kill("SIGKILL");
    await once(child, "close");
    expect([isProcessGone(id), isProcessGone(`${id}-2`)]).toEqual([true, true]);
  });

  test("a number that another process has by now does not make it alive", () => {
    const [, , started] = createProcessId("r").split(".");
    expect(isProcessGone(idOf(process.pid, { started: String(Number(started) - 1) }))).toBe(true);
  });

  test("a process that has ended and is not reaped is gone", async () => {
    const { child, line } = await begun("exec 3<&0; head -c 1 <&3 >/dev/null & echo $!; exec sleep 1000");
    const pid = Number(line);
    // A shell would reap it; what it becomes does not.
    while (readFileSync(`/proc/${child.pid}/comm`, "latin1") !== "sleep\n") await new Promise((resolve) => setImmediate(resolve));
    child.stdin.write("x");
    while (fieldsOf(pid)[0] !== "Z") await new Promise((resolve) => setImmediate(resolve));
    expect(isProcessGone(idOf(pid))).toBe(true);
  });

  test("nothing is known of processes on another computer, in another namespace or of another boot", async () => {
    const { child } = await begun("echo here; exec sleep 1000");
    const id = idOf(child.pid ?? 0, { place: "0123456789" });
    child.kill("SIGKILL");
    await once(child, "close");
    expect(isProcessGone(id)).toBe(false);
  });
});

test("where a boot has no id, a computer of the same name is told apart by its network cards", () => {
  const mac = (address: string) => ({ en0: [{ mac: address }], lo0: [{ mac: "00:00:00:00:00:00" }] });
  const [one, other] = [mac("a8:00:00:00:00:01"), mac("a8:00:00:00:00:02")];
  const places = [one, other, {}].map((each) => placeOf({ host: "notebook", namespace: "", boot: "" }, each));
  expect(new Set(places).size).toBe(3);
  expect(places[2]).toBe("");
  const linux = { host: "notebook", namespace: "pid:[1]", boot: "b" };
  expect(placeOf(linux, one)).toBe(placeOf(linux, other));
});

test("names that tell no process, or not where it ran, are never gone", () => {
  for (const owner of ["", "cli:ada", "dead", "p999999999-abcdefgh", "p999999999-abcdefgh-1", "p999999999-abcdefgh..", "xp1-a.b.c"])
    expect(isProcessGone(owner), owner).toBe(false);
});
