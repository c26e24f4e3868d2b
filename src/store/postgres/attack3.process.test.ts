import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startPostgres } from "../../../test/support/postgres-server.ts";
import { commitOf, startRun } from "../contract/sample.contract.ts";
import { postgresStore } from "./open-postgres-store.ts";

test("tls crash fuzz", { timeout: 90_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-tls-"));
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k.key", "-out", "k.crt", "-subj", "/CN=127.0.0.1", "-days", "2"],
    { cwd: folder, stdio: "pipe" },
  );
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");
  const server = await startPostgres({
    settings: { ssl: "on", ssl_cert_file: "../k.crt", ssl_key_file: "../k.key", fsync: "off" },
    files: { "k.crt": text("k.crt"), "k.key": text("k.key") },
  });
  const url = `${await server.createDatabase("runs")}?sslmode=no-verify`;
  const errors: Record<string, number> = {};
  const stores = Array.from({ length: 12 }, () => postgresStore({ url, project: "p", cacheFolder: folder, connections: 3 }).store);
  const run = await startRun(stores[0]!);
  let over = false;
  let acked = 0;
  const st: string[] = [];
  const work = stores.map(async (store, n) => {
    let head = 0;
    while (!over) {
      try {
        st[n] = "c";
        const result = await store.commit(run, head, commitOf(), {});
        st[n] = "a";
        head = result.head;
        if (result.ok) acked += 1;
        await store.acquire(`k${n}`, "me", 1, 1000);
        st[n] = "r";
        await store.readRecords(run, Math.max(0, head - 3), 5);
        st[n] = "b";
        await store.putBlob(Buffer.alloc(1_500_000, n + (head % 200)));
      } catch (error) {
        const k = `${(error as any).code} ${(error as Error).message.slice(0, 200)} ${(error as any).cause?.code}`;
        errors[k] = (errors[k] ?? 0) + 1;
      }
    }
  });
  const state = st;
  const say = (t: string) => process.stderr.write(`${(performance.now() / 1000).toFixed(1)} ${t}\n`);
  const watch = setInterval(() => say(`${acked} ${state.join(" ")} ${JSON.stringify(errors)}`), 5000);
  for (let n = 0; n < 15; n += 1) {
    say(`restart ${n}`);
    await new Promise((r) => setTimeout(r, 300 + Math.random() * 500));
    if (n % 3 === 0) {
      await server.stop("fast");
      await server.start();
    } else await server.crash();
  }
  over = true;
  say("over");
  await Promise.all(work);
  clearInterval(watch);
  say("ended");
  console.log(errors, acked, (await stores[0]!.readRun(run))!.head, await stores[0]!.verify());
  await Promise.all(stores.map((s) => s.close()));
  await server.close();
  rmSync(folder, { recursive: true });
});
