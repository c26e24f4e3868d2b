import type { Diagnostic } from "../base/index.ts";

export interface RenderOptions {
  /** Lines shown before and after the one with the problem; default 1. */
  readonly around?: number;
  /** Longest line of the frame; longer ones are cut around the problem. Default 120. */
  readonly width?: number;
}

/**
 * A problem as plain text: where, what, the lines around it with a caret, and what to do. `text` is that of the file the
 * problem is in; without it there is no frame.
 */
export function renderDiagnostic(diagnostic: Diagnostic, text?: string, options: RenderOptions = {}): string {
  const { place, severity, code, message, fix, path } = diagnostic;
  const where = place === undefined ? "" : `${place.file}:${place.line}:${place.column} `;
  const lines = [`${where}${severity} ${code}: ${message}`];
  if (place !== undefined && text !== undefined) lines.push(...frame(diagnostic, text, options));
  if (path !== undefined) lines.push(`  at: ${path}`);
  if (fix !== undefined) lines.push(`  fix: ${fix}`);
  return `${lines.join("\n")}\n`;
}

function frame({ place }: Diagnostic, text: string, { around = 1, width = 120 }: RenderOptions): string[] {
  if (place === undefined) return [];
  const all = text.split(/\r?\n/);
  const line = Math.min(Math.max(1, place.line), all.length);
  const first = Math.max(1, line - around);
  const last = Math.min(all.length, line + around);
  const gutter = String(last).length;
  const shown: string[] = [];
  const held = all[line - 1] ?? "";
  const start = Math.min(place.column - 1, held.length);
  const end = place.endLine === undefined || place.endLine === place.line ? (place.endColumn ?? place.column + 1) - 1 : held.length;
  const cut = Math.max(0, Math.min(start - Math.floor(width / 3), held.length - width));
  for (let number = first; number <= last; number++) {
    const source = all[number - 1] ?? "";
    shown.push(`  ${String(number).padStart(gutter)} | ${window(source, cut, width)}`.trimEnd());
    if (number === line)
      shown.push(
        `  ${" ".repeat(gutter)} | ${" ".repeat(widthOf(held.slice(cut, start)))}${"^".repeat(Math.max(1, widthOf(held.slice(start, Math.min(end, cut + width)))))}`,
      );
  }
  return shown;
}

function window(line: string, cut: number, width: number): string {
  return expand(line.slice(cut, cut + width));
}

/** Tabs are shown as two blanks, so that the caret stays below its character. */
function expand(text: string): string {
  return text.replaceAll("\t", "  ");
}

function widthOf(text: string): number {
  return expand(text).length;
}
