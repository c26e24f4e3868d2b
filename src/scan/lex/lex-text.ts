import { own } from "../../base/index.ts";
import { lexAl } from "../al/lex-al.ts";
import type { Token } from "../token.ts";
import { lexCsharp } from "./csharp.ts";
import { grammars, lexGeneric } from "./generic.ts";
import { lexPython } from "./python.ts";
import { lexSql } from "./sql.ts";
import { lexTypeScript } from "./typescript.ts";
import { lexYaml } from "./yaml.ts";

/** Tokens that cover the text in order; those of AL leave spaces out. A language without a lexer gives one token of code. */
export function lexText(text: string, language: string): readonly Token[] {
  const lexer = own(lexers, language);
  if (lexer !== undefined) return lexer(text);
  const grammar = own(grammars, language);
  if (grammar !== undefined) return lexGeneric(text, grammar);
  return text === "" ? [] : [{ kind: "code", start: 0, end: text.length }];
}

const lexers: Readonly<Record<string, (text: string) => readonly Token[]>> = {
  al: (text) => lexAl(text),
  typescript: (text) => lexTypeScript(text, false),
  tsx: (text) => lexTypeScript(text, true),
  javascript: (text) => lexTypeScript(text, true),
  csharp: (text) => lexCsharp(text),
  python: (text) => lexPython(text),
  sql: (text) => lexSql(text),
  yaml: (text) => lexYaml(text),
};
