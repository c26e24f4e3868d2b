/** What chains of prompts add to the command line: their schema, and what their runs leave behind. */
export { promptsCommands } from "./prompts-commands.ts";
