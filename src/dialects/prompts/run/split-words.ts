/** Words of a message, as a command line has them: text in single or double quotes is one word. */
export function splitWords(message: string): readonly string[] {
  return [...message.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
}
