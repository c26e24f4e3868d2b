import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChecklistFacts, ChecklistRows, InstanceCounts } from "../definition/index.ts";
import { madeFacts, madeFiles, madeItem, madeMigration, madeRows } from "../../../../test/support/made-facts.ts";
import { recommendations, checklistReport, type ReportFormat } from "./report.ts";
import { topIssues } from "./row-sections.ts";

async function report(facts: ChecklistFacts, rows: ChecklistRows, format: ReportFormat = "markdown"): Promise<string> {
  let text = "";
  for await (const piece of checklistReport(facts, rows, { format })) text += piece;
  return text;
}

const finding = (id: string, file: string, severity: string, description: string) =>
  madeItem("findings", id, { file, line: 4, severity, description, suggestion: "Mend it" });

const entriesOf = (skipped: number, failed: number) => ({
  total: skipped + failed,
  by: { pending: 0, in_progress: 0, completed: 0, skipped, failed },
});

const hostileName = `src/<script>alert("1")</script>|*_x_*.al`;
const hostile = madeRows({
  files: [
    madeItem("files", hostileName, {}, { status: "completed" }),
    madeItem("files", "src/B.al", {}, { status: "failed", reason: "<img src=x onerror=alert(1)>" }),
  ],
  below: [
    madeItem(
      "files",
      `${hostileName}#1`,
      { pattern: "p", type: "literal", line: 3, text: "Error('</td><script>')" },
      { parent: hostileName, status: "skipped", reason: "a | b\nc </table>" },
    ),
    madeItem(
      "files",
      `${hostileName}#2`,
      { pattern: "p", type: "literal", line: 9, text: "x" },
      { parent: hostileName, status: "completed", label: "auto_fixed" },
    ),
    madeItem(
      "files",
      `${hostileName}#3`,
      { pattern: "p", type: "label", line: 11, text: "y", why: "Telemetry" },
      { parent: hostileName, status: "pending", label: "flagged" },
    ),
  ],
  findings: [finding("1", hostileName, "info", "<script>evil()</script>"), finding("2", "src/B.al", "critical", `"quoted" & 'so'`)],
  changes: [
    madeItem("changes", "c1", { file: "src/B.al", line_start: 1, line_end: 2, impact: "low", rationale: "<b>" }, { status: "completed" }),
    madeItem(
      "changes",
      "c2",
      { file: "src/B.al", line_start: 5, line_end: 5, impact: "low" },
      { status: "failed", reason: "changed since" },
    ),
  ],
});

const full: ChecklistFacts = madeMigration(true, {
  status: "completed",
  endedAt: Date.UTC(2024, 0, 11, 12, 15, 0),
  files: madeFiles({ total: 847, completed: 840, skipped: 1, blocked: 1, inProgress: 0, outOfScope: 20, changed: 621 }),
  entries: entriesOf(1, 0),
  findings: { total: 2, bySeverity: { info: 1, warning: 0, error: 0, critical: 1 } },
  changes: { total: 2, applied: 1, failed: 1, pending: 0, autoApplicable: 0 },
  batches: [
    {
      id: "b1",
      operation: "apply_fixes",
      at: 0,
      previewed: 1879,
      modified: 1876,
      failed: 2,
      leftOut: 1,
      files: 621,
      undone: false,
      remaining: 0,
    },
  ],
  verification: { compiled: false, commands: [], errorsByFile: {}, rescanned: 621, remaining: 0 },
});

describe("the report in Markdown", () => {
  test("has a table by version step as upgrade reports have", async () => {
    const step = (name: string, instances: number, auto: number, byHand: number, skipped: number) => ({
      step: name,
      instances,
      auto,
      byHand,
      skipped,
      open: 0,
      files: 9,
      guides: [{ id: "g", title: `Guide ${name}`, patterns: 3, instances, done: instances }],
    });
    const text = await report(
      madeFacts({
        upgrade: {
          source: "BC21",
          target: "BC27",
          steps: [step("BC21-BC22", 234, 198, 36, 0), step("BC22-BC23", 445, 312, 133, 0), step("BC23-BC24", 1567, 892, 632, 43)],
          guidesTotal: 3,
          guidesCompleted: 3,
          withoutGuide: ["BC24-BC25"],
        },
      }),
      madeRows({}),
    );
    expect(text).toContain("# BC21 → BC27 Migration Report\n");
    expect(text).toContain(
      [
        "| Step | Instances | Auto | Manual | Skipped |",
        "|---|---|---|---|---|",
        "| BC21→22 | 234 | 198 | 36 | 0 |",
        "| BC22→23 | 445 | 312 | 133 | 0 |",
        "| BC23→24 | 1,567 | 892 | 632 | 43 |",
      ].join("\n"),
    );
    expect(text).toContain("Without a conversion guide: BC24→25.");
    expect(text).toContain("| BC23→24 | Guide BC23-BC24 | 1,567 | 1,567 |");
  });

  test("counts, batches, skipped places with reasons, blocked files and verification are all there", async () => {
    const text = await report(full, hostile);
    for (const part of [
      "# Error to ErrorInfo Migration Report",
      "- Auto-applied: 1,876",
      "- Files out of scope: 20",
      "| literal | 1,245 | 1,245 | 0 | 0 | literal 1245 |",
      "| b1 | apply\\_fixes | 1,879 | 1,876 | 2 | 1 | 621 | applied | 0 |".replace("\\_", "_"),
      "- Nothing was compiled.",
      "a \\| b c &lt;/table>",
      "| critical | src/B.al | 4 |",
      "| Coverage | 99.2 % |",
      "## Files Changed",
    ])
      expect(text).toContain(part);
    expect(text).not.toContain("Interim report");
    expect(text).not.toContain("<script");
  });

  test("every row of a table has as many cells as its head, whatever the values are", async () => {
    const lines = (await report(full, hostile)).split("\n");
    const widths = lines.map((line) => (line.startsWith("|") ? (line.match(/(?<!\\)(?:\\\\)*\|/g) ?? []).length : 0));
    const inside = widths
      .map((width, place) => [widths[place - 1] ?? 0, width] as const)
      .filter(([above, width]) => above > 0 && width > 0);
    for (const [above, width] of inside) expect(width).toBe(above);
    expect(inside.length).toBeGreaterThan(30);
  });

  test("a run that has not ended gives an interim report", async () => {
    expect(await report(madeFacts(), madeRows({}))).toContain("**Interim report**");
    let html = "";
    for await (const piece of checklistReport(full, hostile, { format: "html", interim: true })) html += piece;
    expect(html).toContain("Interim report");
  });

  test("a batch whose numbers do not add up is named", async () => {
    const [batch] = full.batches;
    expect(await report(full, hostile)).toContain("add up to what was previewed.");
    const broken = { ...full, batches: [{ ...batch!, failed: 0 }] };
    expect(await report(broken, hostile)).toContain("do not add up to what was previewed: b1.");
  });

  test("an unverified run says so", async () => {
    expect(await report(madeFacts(), madeRows({}))).toContain("Nothing was compiled and nothing was scanned again");
  });
});

describe("the report as JSON", () => {
  test("is one object with raw values", async () => {
    const json = JSON.parse(await report(full, hostile, "json"));
    expect(json).toMatchObject({
      session_id: full.run,
      interim: false,
      duration_minutes: 135,
      summary: { total_instances: 2341, auto_fixed: 1876, files_out_of_scope: 20 },
      findings_by_severity: { critical: 1, error: 0, warning: 0, info: 1 },
      batches: [{ id: "b1", previewed: 1879, modified: 1876, failed: 2, left_out: 1, state: "applied" }],
      blocked_files: [{ file: "src/B.al" }],
    });
    expect(json.findings.map(({ severity }: { severity: string }) => severity)).toEqual(["critical", "info"]);
    expect(json.findings_by_file).toEqual([
      { file: hostileName, total: 1, critical: 0, error: 0, warning: 0, info: 1 },
      { file: "src/B.al", total: 1, critical: 1, error: 0, warning: 0, info: 0 },
    ]);
    expect(json.skipped).toEqual([
      {
        file: hostileName,
        line: 3,
        item: "Error('</td><script>')",
        instance_type: "literal",
        state: "skipped",
        reason: "a | b\nc </table>",
      },
    ]);
    expect(json.attention).toEqual([
      { file: hostileName, line: 11, item: "y", instance_type: "label", state: "flagged", reason: "Telemetry" },
    ]);
    expect(json.changes.map(({ status, lines }: { status: string; lines: unknown }) => [status, lines])).toEqual([
      ["applied", "1-2"],
      ["failed", 5],
    ]);
    expect(json.files_changed).toEqual([
      { file: hostileName, auto_fixed: 1, by_hand: 0, changes_applied: 0 },
      { file: "src/B.al", auto_fixed: 0, by_hand: 0, changes_applied: 1 },
    ]);
    expect(json.metrics.find(({ metric }: { metric: string }) => metric === "coverage").value).toBe(0.992);
  });

  test("an empty run has empty lists", async () => {
    const json = JSON.parse(await report(madeFacts(), madeRows({}), "json"));
    expect(json).toMatchObject({ interim: true, findings: [], changes: [], batches: [], skipped: [], top_issues: [] });
  });
});

/** Opens and closes every tag in order, knows only tags and attributes that reports use, and returns the texts between them. */
function wellFormed(html: string): string[] {
  const body = html.replace(/^<!DOCTYPE html>\n/, "").replace(/<style>[^<]*<\/style>/, "");
  const stack: string[] = [];
  const texts: string[] = [];
  for (const [, tag, text] of body.matchAll(/(<[^<>]*>)|([^<>]+)|[<>]/g)) {
    if (text !== undefined) texts.push(text);
    else if (tag === undefined) throw new Error("a bare angle bracket");
    else if (tag.startsWith("</")) {
      const name = tag.slice(2, -1);
      if (stack.pop() !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      const [, name = "", attributes = ""] = /^<([a-z0-9]+)((?: [a-z-]+="[^"<>]*")*)>$/.exec(tag) ?? [];
      if (!/^(?:html|head|meta|title|body|h1|h2|p|ul|li|table|thead|tbody|tr|th|td)$/.test(name)) throw new Error(`unexpected ${tag}`);
      if (/ on[a-z]+=| href=| src=/.test(attributes)) throw new Error(`unexpected attribute in ${tag}`);
      if (name !== "meta") stack.push(name);
    }
  }
  if (stack.length > 0) throw new Error(`left open: ${stack.join(", ")}`);
  for (const text of texts) if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(text)) throw new Error(`bare ampersand in ${text}`);
  return texts;
}

describe("the report as HTML", () => {
  test("is a well-formed page without script, in which hostile values are text", async () => {
    const html = await report(full, hostile, "html");
    const texts = wellFormed(html);
    expect(html.startsWith("<!DOCTYPE html>")).toBe(true);
    expect(texts).toContain("&lt;script&gt;evil()&lt;/script&gt;");
    expect(texts.join("")).toContain("src/&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;|*_x_*.al");
    expect(html).not.toMatch(/<script|javascript:|https?:/i);
  });

  test("any value in any place leaves it well-formed, and the JSON parseable", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 30 }), async (value) => {
        const rows = madeRows({
          files: [madeItem("files", value, {}, { status: "failed", reason: value })],
          below: [madeItem("files", `${value}#1`, { pattern: "p", text: value }, { parent: value, status: "skipped", reason: value })],
          findings: [finding("1", value, "error", value)],
          changes: [madeItem("changes", "c", { file: value, rationale: value })],
        });
        const facts = { ...full, workflow: { ...full.workflow, name: value } };
        wellFormed(await report(facts, rows, "html"));
        const json = JSON.parse(await report(facts, rows, "json"));
        expect(json.findings[0].description).toBe(value);
      }),
      { numRuns: 50 },
    );
  });
});

describe("recommendations", () => {
  test("say what the counts show and nothing else", () => {
    expect(recommendations(madeFacts({ files: madeFiles({ total: 5, completed: 5, inProgress: 0 }) }))).toEqual([]);
    expect(recommendations({ ...full, status: "in_progress" })).toEqual([
      "Address 1 critical finding before deployment.",
      "Compile and run the tests: 621 files were changed and nothing was compiled in this run.",
      "Look at 3 failed instances; the reasons are listed.",
      "Repair what blocks 1 file, then call workflow_retry.",
      "Review 2 skipped items (1 file, 1 checklist entry); the reasons are listed.",
      "Work through 462 instances still open.",
      "Look at 1 proposed change that could not be applied.",
      "Finish 5 files still open.",
      "Start another run for 20 files left out of scope.",
    ]);
  });

  test("a compiled run is not told to compile, but what failed is named", () => {
    const verification = {
      compiled: true,
      commands: [{ name: "alc", ok: false, errors: 3 }],
      errorsByFile: {},
      rescanned: 9,
      remaining: 2,
    };
    expect(recommendations({ ...full, verification }).slice(1, 3)).toEqual([
      "Fix 3 errors that `alc` reported.",
      "Look at 2 places that the second scan still found.",
    ]);
  });

  test("name what the report lists, by what it is", () => {
    const instances = { ...(full.instances as InstanceCounts), pending: 0, failed: 2, skipped: 54 };
    const topics = { ...full.topics, skipped: 8 };
    const listed = recommendations({ ...full, files: madeFiles({ skipped: 1 }), instances, entries: entriesOf(1, 2), topics });
    expect(listed).toContain("Look at 4 failed items (2 instances, 2 checklist entries); the reasons are listed.");
    expect(listed).toContain("Review 64 skipped items (1 file, 54 instances, 1 checklist entry, 8 topics); the reasons are listed.");
  });

  test.each(["completed", "cancelled"] as const)("a %s run takes nothing any more, so they name another one", (status) => {
    const text = recommendations({ ...full, status }).join(" ");
    expect(text).toContain("Repair what blocks 1 file, then start another run.");
    expect(text).toContain("Start another run for 462 instances left open.");
    expect(text).not.toMatch(/workflow_retry|still open/);
  });

  test("every number in them is one of the facts or a sum of them", () => {
    const text = recommendations(full).join(" ");
    const numbers = (text.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replaceAll(",", "")));
    expect(numbers.every((number) => [1, 2, 3, 5, 20, 462, 621].includes(number))).toBe(true);
  });
});

describe("top issues", () => {
  test("the gravest come first, in the order of their reports, no more than asked for", async () => {
    const list = ["info", "error", "critical", "warning", "critical", "error"].map((severity, place) =>
      finding(`${place}`, `f${place}`, severity, "d"),
    );
    const files = (await topIssues(madeRows({ findings: list }), 4)).map(({ file }) => file);
    expect(files).toEqual(["f2", "f4", "f1", "f5"]);
  });

  test("gives the same as sorting everything", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("info", "warning", "error", "critical")), fc.nat(6), async (severities, most) => {
        const list = severities.map((severity, place) => finding(`${place}`, `f${place}`, severity, "d"));
        const order = ["critical", "error", "warning", "info"];
        const sorted = severities
          .map((severity, place) => ({ rank: order.indexOf(severity), place }))
          .sort((left, right) => left.rank - right.rank || left.place - right.place)
          .slice(0, most)
          .map(({ place }) => `f${place}`);
        expect((await topIssues(madeRows({ findings: list }), most)).map(({ file }) => file)).toEqual(sorted);
      }),
    );
  });
});
