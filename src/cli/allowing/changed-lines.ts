/** Lines that both texts have around what changed. */
const context = 1;
/** Characters around what changed inside a long line. */
const around = 60;
/** Above this many comparisons the middle counts as replaced. */
const mostCompared = 4_000_000;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * What changed between two lists of lines: each line of it behind `-` or `+`, with a line before and after it behind a space, and `...` where
 * lines are left out. Nothing of what changed is left out. Empty when nothing did. `same` is what is compared.
 */
export function changedLines(
  before: readonly string[],
  after: readonly string[],
  same = (line: string): string => line,
): readonly string[] {
  const lines = compared(before, after, same);
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - context), at + context + 1).some(({ sign }) => sign !== " "));
  if (!near.includes(true)) return [];
  return blocks(lines).flatMap(({ from, to }) => {
    const block = lines.slice(from, to);
    if (block[0]?.sign !== " ") return narrowed(block).map(({ sign, text }) => `${sign} ${text}`);
    const shown = block.flatMap(({ text }, at) =>
      near[from + at] === true ? [`  ${cutBeside(text)}`] : near[from + at - 1] === true || from + at === 0 ? ["  ..."] : [],
    );
    return shown;
  });
}

function compared(before: readonly string[], after: readonly string[], same: (line: string) => string): readonly Line[] {
  const [old, fresh] = [before.map(same), after.map(same)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  const kept = (from: number, to: number): Line[] => after.slice(from, to).map((text) => ({ sign: " ", text }));
  const gone = before.slice(start, before.length - end).map((text): Line => ({ sign: "-", text }));
  const added = after.slice(start, after.length - end).map((text): Line => ({ sign: "+", text }));
  const middle = gone.length * added.length > mostCompared ? [...gone, ...added] : longestCommon(gone, added, same);
  return [...kept(0, start), ...middle, ...kept(after.length - end, after.length)];
}

/** The fewest lines that have to go and to come. */
function longestCommon(gone: readonly Line[], added: readonly Line[], same: (line: string) => string): readonly Line[] {
  const [old, fresh] = [gone.map(({ text }) => same(text)), added.map(({ text }) => same(text))];
  const width = fresh.length + 1;
  const most = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => most[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = fresh.length - 1; column >= 0; column--)
      most[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  for (;;) {
    const [left, right] = [gone[row], added[column]];
    if (left === undefined) return [...lines, ...added.slice(column)];
    if (right === undefined) return [...lines, ...gone.slice(row)];
    if (old[row] === fresh[column]) {
      lines.push({ sign: " ", text: right.text });
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push(left);
      row++;
    } else {
      lines.push(right);
      column++;
    }
  }
}

/** Neighbours that changed, and neighbours that did not. */
function blocks(lines: readonly Line[]): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const [at, { sign }] of lines.entries()) {
    const last = found.at(-1);
    if (last !== undefined && (lines[last.from]?.sign === " ") === (sign === " ")) last.to = at + 1;
    else found.push({ from: at, to: at + 1 });
  }
  return found;
}

/** Where one long line became another, only the place where they differ. */
function narrowed(block: readonly Line[]): readonly Line[] {
  const [gone, added, more] = [block[0], block[1], block[2]];
  if (gone?.sign !== "-" || added?.sign !== "+" || more !== undefined) return block;
  const [old, fresh] = [gone.text, added.text];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return block.map(({ sign, text }) => ({ sign, text: part(text, start - around, text.length - end + around) }));
}

function part(text: string, from: number, to: number): string {
  return `${from > 0 ? "..." : ""}${text.slice(Math.max(0, from), to)}${to < text.length ? "..." : ""}`;
}

function cutBeside(text: string): string {
  return part(text, 0, 2 * around);
}
