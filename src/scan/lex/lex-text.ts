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
  switch (language) {
    case "al":
      return lexAl(text);
    case "typescript":
      return lexTypeScript(text, false);
    case "tsx":
    case "javascript":
      return lexTypeScript(text, true);
    case "csharp":
      return lexCsharp(text);
    case "python":
      return lexPython(text);
    case "sql":
      return lexSql(text);
    case "yaml":
      return lexYaml(text);
    default: {
      const grammar = Object.hasOwn(grammars, language) ? grammars[language] : undefined;
      if (grammar !== undefined) return lexGeneric(text, grammar);
      return text === "" ? [] : [{ kind: "code", start: 0, end: text.length }];
    }
  }
}
