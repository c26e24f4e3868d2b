import { Kind, kindAt, type AlTokens } from "./al-tokens.ts";
import { AlSymbols, objectKeywordAt, objectTitles } from "./al-symbols.ts";
import { readAlTokens } from "./lex-al.ts";

/** `Codeunit`, `PageExtension` ... of the first object in the file, else what its name says (`X.Codeunit.al`), else undefined. */
export function alObjectType(text: string, path: string): string | undefined {
  const keyword = quickKeyword(text) ?? firstObject(readAlTokens(text));
  return keyword === undefined ? typeOfName(path) : objectTitles.get(keyword);
}

const beforeObject = /(?:[\s\ufeff]+|\/\/.*|\/\*[\s\S]*?\*\/|#.*|(?:namespace|using)\s[\w\s.]*;)*/iy;
const opening = /(\w+)\s+\d+\s+["\p{L}_]/iuy;

/** The keyword of a numbered object behind nothing but comments, directives, the namespace and its usings: nearly every file. */
function quickKeyword(text: string): string | undefined {
  beforeObject.lastIndex = 0;
  beforeObject.test(text);
  opening.lastIndex = beforeObject.lastIndex;
  const keyword = opening.exec(text)?.[1]?.toLowerCase();
  return keyword !== undefined && objectTitles.has(keyword) ? keyword : undefined;
}

function firstObject(tokens: AlTokens): string | undefined {
  let depth = 0;
  for (let at = 0; at < tokens.count; at += 1) {
    const kind = kindAt(tokens, at);
    if (kind === Kind.BRACE_OPEN) depth += 1;
    else if (kind === Kind.BRACE_CLOSE && depth > 0) depth -= 1;
    else if (kind === Kind.NAME) {
      const keyword = objectKeywordAt(tokens, at, depth);
      if (keyword !== undefined) return keyword;
    }
  }
  return undefined;
}

/** Short forms that file names use. */
const shortName = /^(page|table|report|enum|permissionset)ext$/;

function typeOfName(path: string): string | undefined {
  const [, ...parts] = path
    .slice(path.lastIndexOf("/") + 1)
    .toLowerCase()
    .split(".");
  const keywords = parts.slice(0, -1).map((part) => part.replace(shortName, "$1extension").replace(/^pagecust$/, "pagecustomization"));
  return objectTitles.get(keywords.findLast((keyword) => objectTitles.has(keyword)) ?? "");
}

/** Whether any object of the file says `Subtype = Test`. */
export function isTestObject(text: string): boolean {
  if (!/subtype\b[^;'"]{0,200}?=[^;'"]{0,200}?\btest\b/i.test(text)) return false;
  return new AlSymbols(readAlTokens(text)).objects.some((object) => object.test);
}

/** Whether a folder of the path holds tests: `Test`, `Tests`, a name that ends with ` Tests`, or the test runner's own. */
export function isTestPath(path: string): boolean {
  return /(?:^|[\\/])(?:tests?|[^\\/]* tests|\.altestrunner)[\\/]/i.test(path);
}
