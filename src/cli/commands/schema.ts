import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";

export async function schemaCommand({ session, options }: Given): Promise<number> {
  session.out.raw(`${JSON.stringify(await session.world.schema(options["dialect"]), null, 2)}\n`);
  return exitCodes.done;
}
