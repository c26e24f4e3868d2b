import { own } from "../../../../base/index.ts";
import { didYouMean, type Complain, type SourceNode, type TextNode } from "../../../../source/index.ts";
import { allGraphNodes, commandOf, namedScript, scriptFiles, type GraphFiles } from "../graph/graph-nodes.ts";
import { isName, isScriptName, promptOf, stepNodes } from "../references.ts";
import { scriptFolders, stepFolders } from "../vocabulary.ts";

interface Files {
  readonly files: GraphFiles;
  /** References to all that there are. */
  readonly known: readonly string[];
}

/** A prompt or a script that is not there, or says nothing, is found before anything runs. */
export function checkFiles(root: SourceNode, complain: Complain, { files, known }: Files): void {
  const nodes = allGraphNodes(root);
  for (const node of [...stepNodes(root).map(promptOf), ...nodes.map(commandOf)]) checkPrompt(node, complain, { files, known });
  for (const node of nodes) checkScript(node, complain, { files, known });
}

function checkPrompt(node: TextNode | undefined, complain: Complain, { files, known }: Files): void {
  if (node === undefined || !isName(node.value)) return;
  const prompt = own(files.prompts, node.value);
  if (prompt === undefined) {
    const fix = missingFix(node.value, namesOf(known, stepFolders));
    complain(node, { code: "PROMPTS_NO_PROMPT", message: `Step prompt not found: ${node.value}.md`, fix });
  } else if (prompt.text.trim() === "") {
    complain(node, {
      code: "PROMPTS_EMPTY_PROMPT",
      message: `The prompt ${prompt.path} is empty.`,
      fix: "Write what the agent has to do.",
    });
  }
}

function missingFix(name: string, known: readonly string[]): string {
  if (/\.md$/i.test(name)) return `Write the name without \`.md\`: \`${name.slice(0, -3)}\`.`;
  const near = didYouMean(name, known);
  if (near !== undefined) return near;
  return `Create \`steps/${name}.md\` beside the folder of the workflow, or correct the name.`;
}

function checkScript(node: SourceNode, complain: Complain, { files, known }: Files): void {
  const script = namedScript(node);
  if (script === undefined) return;
  const name = script.value.trim();
  if (!isScriptName(name))
    return complain(script, {
      code: "PROMPTS_BAD_NAME",
      message: `\`${name}\` cannot be the name of a script.`,
      fix: "Name a file of the folder `scripts`, without `..`.",
    });
  const [first = "", ...others] = scriptFiles(node);
  if (own(files.scripts, first) !== undefined) return;
  const endings = [first, ...others]
    .filter((way) => way.startsWith(`${scriptFolders.word}/`))
    .map((way) => way.slice(`${scriptFolders.word}/`.length));
  const near = didYouMean(
    name,
    namesOf(known, scriptFolders).filter((each) => each !== name),
  );
  complain(script, {
    code: "PROMPTS_NO_SCRIPT",
    message: `Script not found: ${endings.join(" or ")}`,
    fix: near ?? `Create \`scripts/${endings[0]}\` beside the folder of the workflow, or correct the name.`,
  });
}

/** Names of the texts of one kind, without their endings. */
function namesOf(references: readonly string[], { word, endings }: typeof stepFolders): readonly string[] {
  const files = references.flatMap((each) => (each.startsWith(`${word}/`) ? [each.slice(word.length + 1)] : []));
  return files.map((file) => file.slice(0, -(endings.find((ending) => file.endsWith(ending))?.length ?? 0) || undefined));
}
