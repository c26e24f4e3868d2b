/** What workflows of steps add to the command line: their schema, the tour `steps`, and the files of `init --example`. */
import type { DialectCommands } from "../../../cli/index.ts";

export const stepsCommands: DialectCommands = {
  dialect: "steps",
  schema: "preset",
  tours: [{ name: "steps", about: "shows a workflow of steps", load: async () => (await import("./steps-tour.ts")).stepsTour }],
  share: async () => ({ examples: (await import("./example-files.ts")).exampleFiles }),
};
