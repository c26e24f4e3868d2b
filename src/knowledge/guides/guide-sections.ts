import type { ConversionGuide, GuideSection } from "./conversion-guide.ts";
import { slugOf, type Block } from "./markdown.ts";

/** Every heading with the text below it, up to the next one of its level or above. */
export function sectionsOf(blocks: readonly Block[], body: string): GuideSection[] {
  const lines = body.split("\n");
  const headings = blocks.filter((block) => block.kind === "heading");
  return headings.map(({ text, level, line }, at) => {
    const end = headings.slice(at + 1).find((next) => next.level <= level)?.line ?? lines.length + 1;
    return {
      heading: text,
      slug: slugOf(text),
      level,
      line,
      text: lines
        .slice(line, end - 1)
        .join("\n")
        .trim(),
    };
  });
}

/** Heading under which a block stands. Labels such as `#### Code Discovery` belong to the section above them. */
export function headingAt(blocks: readonly Block[], at: number): string | undefined {
  for (let place = at; place >= 0; place--) {
    const block = blocks[place]!;
    if (block.kind === "heading" && block.level <= 3) return block.text;
  }
  return undefined;
}

/** A section by its heading or by the name that links use; undefined when the guide has none of that name. */
export function guideSection(guide: ConversionGuide, heading: string): GuideSection | undefined {
  const key = heading.toLowerCase();
  return (
    guide.sections.find((section) => section.heading.toLowerCase() === key) ?? guide.sections.find(({ slug }) => slug === slugOf(heading))
  );
}
