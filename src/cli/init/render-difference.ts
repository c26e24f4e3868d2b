const around = 2;

/** What changes in a file, as lines with `+` and `-` and two lines around them; a new or removed file is shown whole. */
export function renderDifference(before: string | undefined, after: string | undefined): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [
    ...old.slice(Math.max(0, head - around), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...now.slice(now.length - tail, now.length - tail + around).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
