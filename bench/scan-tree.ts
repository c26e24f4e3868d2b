/** A tree of AL files to scan, made once and kept between runs: the same bytes everywhere, from a seed. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `BENCH_SCALE=0.05` makes everything that much smaller; what is printed says so. */
export const scale: number = Math.min(1, Math.max(0.001, Number(process.env["BENCH_SCALE"] ?? "1") || 1));

export const treeFacts = {
  files: Math.round(40_000 * scale),
  bytes: Math.round(700_000_000 * scale),
  errorFiles: Math.round(12_000 * scale),
  errorCalls: Math.round(30_000 * scale),
  messageCalls: Math.round(70_000 * scale),
} as const;

/** Names that patterns look for, and in which files each of them is once. */
interface RareNames {
  readonly names: readonly string[];
  readonly standsIn: (file: number, name: number) => boolean;
}
const twenty = (stem: string): string[] => Array.from({ length: 20 }, (_, index) => `${stem}${String.fromCharCode(65 + index)}Mgt`);

/** Each name in files of its own, one of forty: every other file must be lexed for one of them. */
export const loneNames: RareNames = { names: twenty("Retired"), standsIn: (file, name) => file % 40 === name * 2 };
/** In four families of five, as methods of one codeunit are used together: a family is in one file of ten. */
export const kinNames: RareNames = { names: twenty("Legacy"), standsIn: (file, name) => (file + Math.floor(name / 5) * 3) % 10 === 0 };

/** How often all of the names, or the first ones, stand in the tree. */
export function timesInTree({ names, standsIn }: RareNames, first: number = names.length): number {
  const files = Array.from({ length: treeFacts.files }, (_, file) => file);
  return names.slice(0, first).reduce((sum, _, name) => sum + files.filter((file) => standsIn(file, name)).length, 0);
}

const perFolder = 400;
const version = 5;

/** Path of the tree, which is made if it is not there. It is outside the folder that `npm run bench` clears. */
export function scanTree(): string {
  const root = join(process.cwd(), "node_modules", ".cache", "waymark-bench-tree", `v${version}-${treeFacts.files}`);
  if (existsSync(join(root, "complete"))) return join(root, "tree");
  rmSync(root, { recursive: true, force: true });
  console.log(`  making ${treeFacts.files} files, ${Math.round(treeFacts.bytes / 1e6)} MB, once`);
  const random = randomFrom(42);
  const stock = Array.from({ length: 300 }, (_, index) => harmlessProcedure(index, random));
  for (let index = 0; index < treeFacts.files; index += 1) {
    const folder = join(root, "tree", `app${Math.floor(index / (perFolder * 10))}`, `area${Math.floor(index / perFolder)}`);
    if (index % perFolder === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `Object${index}.Codeunit.al`), encode(sourceOf(index, stock, random), index));
  }
  for (let app = 0; app * perFolder * 10 < treeFacts.files; app += 1)
    writeFileSync(join(root, "tree", `app${app}`, "app.json"), '{ "name": "Bench", "runtime": "13.0" }\n');
  writeFileSync(join(root, "complete"), "");
  return join(root, "tree");
}

type Random = (below: number) => number;

function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** How many of `total` fall to one of `parts`, spread evenly. */
function share(total: number, parts: number, index: number): number {
  return Math.floor(((index + 1) * total) / parts) - Math.floor((index * total) / parts);
}

function sourceOf(index: number, stock: readonly string[], random: Random): string {
  const { files, bytes, errorFiles, errorCalls, messageCalls } = treeFacts;
  const parts = [`codeunit ${50_000 + index} "Object ${index}"\n{\n`];
  // 3 of 10 files hold the word, and only they hold calls.
  if (share(errorFiles, files, index) === 1) {
    const place = Math.floor(((index + 1) * errorFiles) / files) - 1;
    for (let call = 0; call < share(errorCalls, errorFiles, place); call += 1) parts.push(errorProcedure(call, random(6)));
    parts.push("    // Error('in a comment') and FieldError are none\n");
  }
  for (let call = 0; call < share(messageCalls, files, index); call += 1)
    parts.push(`    procedure Tell${call}()\n    begin\n        Message('Done with %1', ${call});\n    end;\n\n`);
  for (const { names, standsIn } of [loneNames, kinNames])
    for (const [at, name] of names.entries()) if (standsIn(index, at)) parts.push(`    var ${name[0]}${at}: Codeunit ${name};\n`);
  const size = Math.floor(bytes / files) + random(8_000) - 4_000;
  for (let length = parts.join("").length; length < size;) {
    const part = stock[random(stock.length)] ?? "";
    parts.push(part);
    length += part.length;
  }
  return `${parts.join("")}}\n`;
}

function errorProcedure(call: number, form: number): string {
  const calls = ["'It is wrong'", "'%1 of %2 (it''s)', Count(1), 2", "WrongErr", 'WrongErr, Rec."No."', "''", "GetLastErrorText()"];
  return `    procedure Fail${call}()\n    var\n        WrongErr: Label 'Wrong %1';\n    begin\n        if Rec.FindFirst() then\n            Error(${calls[form]});\n    end;\n\n`;
}

function harmlessProcedure(index: number, random: Random): string {
  const lines = Array.from({ length: 6 + random(20) }, (_, line) => {
    const forms = [
      `        Customer.SetRange("No.", '${1000 + random(9000)}', 'It''s ${line}'); // filtered by "No."`,
      `        if Customer.FindSet() then repeat Total += Customer.Amount * ${random(99)}; until Customer.Next() = 0;`,
      `        Total := CalcAmount(Customer."Balance (LCY)", ${random(500)}, Today()) + ${random(50)};`,
      `        /* a remark over the next line, with 'quotes' and (brackets) */`,
      `        Customer.Validate("Phone No.", Format(${random(100_000)}));`,
      "        #region Kept together",
    ];
    return forms[random(forms.length)];
  });
  return `    procedure Harmless${index}(var Customer: Record Customer; Total: Decimal): Boolean\n    begin\n${lines.join("\n")}\n        exit(Total > ${random(1000)});\n    end;\n\n`;
}

/** A quarter with a byte order mark, one in fifty UTF-16, one in a hundred Windows-1252; half of all with CRLF. */
function encode(text: string, index: number): Buffer {
  const ended = index % 2 === 0 ? text : text.replaceAll("\n", "\r\n");
  if (index % 50 === 7) return Buffer.from(`\ufeff${ended}`, "utf16le");
  if (index % 100 === 13) return Buffer.from(`// caf\u00e9\n${ended}`, "latin1");
  return Buffer.from(index % 4 === 0 ? `\ufeff${ended}` : ended);
}
