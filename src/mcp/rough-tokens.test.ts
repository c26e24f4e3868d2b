import { encode } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { roughTokens } from "./rough-tokens.ts";

describe("the estimate of tokens", () => {
  const samples = [
    "Run this command yourself and report its output as a list of lines.",
    '{"run_id":"wf-demo-two-2026-11-15-ab12cd","status":"action","action_id":"a3","step":{"id":"look","type":"agent_shell_command"}}',
    "U29tZSBiYXNlNjQgdGV4dCB0aGF0IG5vYm9keSB3YW50cyB0byByZWFk0123456789abcdef",
    "src/components/very/long/path/to/some-file.component.test.tsx",
    "2026-11-15T09:28:28.774Z",
    "Größe, naïve café; 漢字かな交じり文 и кириллица",
  ];

  test.each(samples)("is not below what %s costs", (text) => {
    expect(roughTokens(text)).toBeGreaterThanOrEqual(encode(text).length * 0.95);
  });

  test("is rarely below the truth, and not absurdly above it, for random text", () => {
    const word = fc.oneof(
      fc.constantFrom("state", "files", "workflow", "src/index.ts", "error", "2026"),
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.base64String({ maxLength: 24 }),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 20, maxLength: 60 }), (words) => {
        const text = words.join(" ");
        const real = encode(text).length;
        return roughTokens(text) >= real * 0.7 && roughTokens(text) <= real * 2.5;
      }),
    );
  });
});
