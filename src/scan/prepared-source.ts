import type { LexedText } from "./finder.ts";
import { lexAlGaps } from "./al/lex-al.ts";
import { lexText } from "./lex/lex-text.ts";
import { maskGaps, maskText, type MaskedText, type MaskPart } from "./lex/mask-text.ts";
import { CodeTokens } from "./rules/code-tokens.ts";
import { LineIndex, mainLineEnd } from "./text/line-index.ts";
import type { Token } from "./token.ts";

/** A file's text with everything that is worked out at most once, and only when asked for. */
export class PreparedSource implements LexedText {
  readonly text: string;
  readonly language: string;
  readonly test: boolean;
  declare readonly runtime?: number;
  readonly #masks = new Map<MaskPart, MaskedText>();
  #tokens: readonly Token[] | undefined;
  #code: CodeTokens | undefined;
  #lines: LineIndex | undefined;
  #lineEnd: string | undefined;

  constructor(text: string, language: string, test: boolean, runtime?: number) {
    this.text = text;
    this.language = language;
    this.test = test;
    if (runtime !== undefined) this.runtime = runtime;
  }

  get tokens(): readonly Token[] {
    return (this.#tokens ??= lexText(this.text, this.language));
  }

  get code(): CodeTokens {
    return (this.#code ??= new CodeTokens(this.text, this.tokens));
  }

  get lines(): LineIndex {
    return (this.#lines ??= new LineIndex(this.text));
  }

  get lineEnd(): string {
    return (this.#lineEnd ??= mainLineEnd(this.text));
  }

  mask(part: MaskPart): MaskedText {
    let masked = this.#masks.get(part);
    if (masked === undefined) {
      // A mask of AL code does not need its names, numbers and symbols.
      const quick = this.language === "al" && part === "code" && this.#tokens === undefined;
      masked = quick ? maskGaps(this.text, lexAlGaps(this.text)) : maskText(this.text, this.tokens, part);
      this.#masks.set(part, masked);
    }
    return masked;
  }
}
