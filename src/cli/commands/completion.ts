import { createCommandTree, commandSpecs } from "../command-tree.ts";
import { badValue, didYouMean, exitCodes } from "../codes.ts";
import { renderCompletion, shells, type CompletedCommand } from "../render-completion.ts";
import type { Given } from "../define-command.ts";

export function completionCommand({ session, args: [name = ""] }: Given): Promise<number> {
  const shell = shells.find((known) => known === name);
  if (shell === undefined)
    throw badValue(`There is no completion for \`${name}\`.${didYouMean(name, shells)}`, `Shells are ${shells.join(", ")}.`);
  const script = renderCompletion(shell, completedCommands(session.world.version));
  session.out.document({ shell, script });
  if (!session.out.json) session.out.raw(script);
  return Promise.resolve(exitCodes.done);
}

function completedCommands(version: string): readonly CompletedCommand[] {
  const tree = createCommandTree({ version, perform: () => Promise.resolve() });
  const shared = tree.options.flatMap((option) => option.long ?? []);
  return tree.commands.map((command) => {
    const spec = commandSpecs.find((entry) => entry.usage.split(" ")[0] === command.name());
    const options = command.options.filter(({ hidden }) => !hidden).flatMap((option) => option.long ?? []);
    return {
      name: command.name(),
      summary: command.summary() || command.description(),
      options: [...options, ...shared, "--help"],
      completes: spec?.completes,
    };
  });
}
