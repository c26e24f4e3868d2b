import { note } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";

export async function tellCommand({ session, args: [run = "", ...words], options }: Given): Promise<number> {
  const text = words.join(" ");
  const target = options["for"] === undefined ? {} : { target: String(options["for"]) };
  await session.withEngine((context) => note(context, cliCaller(session.world, context), { run, text, ...target }));
  session.out.document({ run_id: run, noted: true, text, ...target });
  session.out.line(`Noted. It is delivered with ${options["for"] === undefined ? "the next step" : `\`${String(options["for"])}\``}.`);
  return exitCodes.done;
}
