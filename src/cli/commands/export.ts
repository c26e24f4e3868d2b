import { exportRun } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";

export async function exportCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const text = `${JSON.stringify(await session.withEngine((context) => exportRun(context, run)), null, 2)}\n`;
  if (options["out"] === undefined) {
    session.out.raw(text);
    return exitCodes.done;
  }
  const path = session.pathOf(String(options["out"]));
  await session.world.writeFile(path, text);
  session.out.document({ run_id: run, file: path, bytes: Buffer.byteLength(text) });
  session.out.line(`Wrote ${path} (${Buffer.byteLength(text)} bytes).`);
  return exitCodes.done;
}
