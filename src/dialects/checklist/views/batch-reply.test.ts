import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { batchPreviewReply, batchResultReply, type BatchPreview } from "./batch-reply.ts";
import { madeMigration } from "../../../../test/support/made-facts.ts";
import type { PositionView } from "../../../views/position-view.ts";

const cost = ({ text, data }: PositionView): number => Math.max(encode(text).length, encode(JSON.stringify(data)).length);

describe("replies about batches", () => {
  const preview: BatchPreview = {
    operation: "apply_fixes",
    instances: 1879,
    files: 623,
    byType: { literal: 1245, strsubstno: 634 },
    samples: Array.from({ length: 9 }, (_, place) => ({
      file: "src/CustomerMgt.Codeunit.al",
      line: place,
      before: "Error('Invalid date range');",
      after: "Error(ErrorInfo.Create('Invalid date range'));",
    })),
    token: "batch-abc123-1879-confirm",
  };

  test("a preview shows counts, five samples and the token", () => {
    const reply = batchPreviewReply(madeMigration(false), preview);
    expect(reply.data).toMatchObject({
      operation: "apply_fixes",
      dry_run: true,
      preview: { instances_affected: 1879, files_affected: 623, by_instance_type: { literal: 1245, strsubstno: 634 } },
      confirmation_required: true,
      confirmation_token: "batch-abc123-1879-confirm",
      confirmation_prompt:
        "This will modify 1,879 instances across 623 files. Show it to the user; type 'confirm batch-abc123-1879-confirm' to proceed.",
    });
    expect(reply.data["sample_changes"]).toHaveLength(5);
    expect(reply.text).toContain("- Error('Invalid date range');\n+ Error(ErrorInfo");
    expect(cost(reply)).toBeLessThan(700);
  });

  test("a preview of nothing asks for no confirmation", () => {
    const { token: _token, ...none } = preview;
    const { data } = batchPreviewReply(madeMigration(false), { ...none, instances: 0, files: 0, byType: {}, samples: [] });
    expect(data).toMatchObject({ confirmation_required: false });
    expect(data).not.toHaveProperty("confirmation_token");
  });

  test("a result adds up, lists failures and says what comes next", () => {
    const failures = Array.from({ length: 15 }, (_, line) => ({ file: "src/Legacy.Codeunit.al", line, error: "File is read-only" }));
    const result = {
      operation: "apply_fixes",
      batch: "b1",
      previewed: 1879,
      modified: 1864,
      failed: 12,
      left_out: 3,
      files_modified: 621,
      files_failed: 2,
      done: true,
    };
    const { data, text } = batchResultReply(
      madeMigration(true),
      { ...result, failures, remaining: 0 },
      {
        action: "review_remaining",
        actionId: "n",
        instruction: "1,876 instances converted. 462 instances remain. Call workflow_next.",
      },
    );
    expect(data).toMatchObject({
      dry_run: false,
      result: { instances_modified: 1864, instances_failed: 12, instances_left_out: 3, files_modified: 621, files_failed: 2 },
      failures_total: 15,
      next_action: { action: "review_remaining" },
    });
    expect(data["failures"]).toHaveLength(10);
    expect(text).toContain("1,864 modified, 12 failed, 3 left out of 1,879 previewed");
    expect(text).toContain("- and 5 more");
  });
});
