import { defined, remembering } from "../../../base/index.ts";
import type { Finding, Severity, Suppression } from "../../../ports/index.ts";
import { fieldsOf, objectAt, objectsAt, textAt, wrong, type Fields } from "../json/fields.ts";
import type { Part } from "../json/wanted.ts";
import { placing, unnamedRule, wellFormed, type Placing } from "../placing.ts";
import type { Reading, Unplaced } from "../reading.ts";
import { severities } from "../../severity.ts";
import { severityOfWord } from "../severity-word.ts";
import { messageOf, messageText, type Message } from "./sarif-message.ts";
import {
  editsOf,
  type FixPlaces,
  fileOf,
  fixOf,
  locationOf,
  placeOf,
  regionOf,
  type Location,
  type Places,
  type WrittenFix,
  type WrittenRegion,
} from "./sarif-place.ts";
import { Component, messagesOf, ruleNameOf, ruleOf, type Rule, type RuleName } from "./sarif-rules.ts";

/** What a result is looked up with, once its run has ended. */
interface Resolving extends FixPlaces {
  readonly file: (location: Location) => ReturnType<typeof fileOf>;
  readonly place: Placing;
}

/** Files that are remembered while results are placed. */
const mostFiles = 1000;

/** What is kept of a result until its run has ended. */
interface Kept {
  readonly rule: RuleName;
  /** Rule of a result that names none. */
  readonly unnamed: string;
  readonly severity: Severity | undefined;
  readonly message: Message;
  readonly file?: Location;
  readonly region?: WrittenRegion;
  readonly fix?: readonly WrittenFix[];
  readonly suppressed?: Suppression;
  readonly secret?: true;
}

const severityOfLevel: Readonly<Record<string, Severity>> = { error: "error", warning: "warning", note: "info", none: "info" };

/** Columns that tools count in another way than they say, or without saying: tried on lines with other characters than ASCII. */
const columnsOfTool: Readonly<Record<string, Places["columns"]>> = { oxlint: "bytes", biome: "characters" };
const columnsOfKind: Readonly<Record<string, Places["columns"]>> = {
  utf16CodeUnits: "utf16",
  unicodeCodePoints: "characters",
  bytes: "bytes",
};

/**
 * Collects a run of a tool. Rules, bases of paths and the unit of columns may come after the results, and often do: so each result is kept, in short,
 * until the run has ended.
 */
export class SarifRun {
  readonly #driver = new Component();
  readonly #extensions: Component[] = [];
  readonly #files: (Location | undefined)[] = [];
  #bases: Fields | undefined;
  #columnKind: string | undefined;
  #failed: Fields | undefined;
  #kept: Kept[] = [];

  addResult(part: Part): void {
    const fields = fieldsOf(part);
    if ((textAt(fields, "kind") ?? "fail") !== "fail" || textAt(fields, "baselineState") === "absent") return;
    const { waymarkSeverity: ours, waymarkSecret } = objectAt(fields, "properties")?.value ?? {};
    const level = textAt(fields, "level");
    this.#kept.push({
      rule: ruleNameOf(fields),
      unnamed: unnamedRule,
      severity: severities.find((severity) => severity === ours) ?? (level === undefined ? undefined : severityAt(level)),
      message: messageOf(fields),
      ...placeOf(fields),
      ...defined({ fix: fixOf(fields), suppressed: suppressionOf(fields) }),
      ...(waymarkSecret === true ? { secret: true } : {}),
    });
  }

  /** What kept the tool from its work, as a file that it cannot parse: it is reported beside the results, and would be missed there. */
  addInvocation(part: Part): void {
    const fields = fieldsOf(part);
    if (fields.value["executionSuccessful"] === false) this.#failed ??= fields;
    for (const key of ["toolExecutionNotifications", "toolConfigurationNotifications"]) {
      for (const notification of objectsAt(fields, key)) {
        if (textAt(notification, "level") !== "error") continue;
        const descriptor = objectAt(notification, "descriptor");
        const id = descriptor === undefined ? undefined : textAt(descriptor, "id");
        this.#kept.push({
          rule: defined({ id }),
          unnamed: "tool-error",
          severity: "error",
          message: messageOf(notification),
          ...placeOf(notification),
        });
      }
    }
  }

  addRule(part: Part): void {
    this.#componentOf(part).add(ruleOf(part));
  }

  addComponentFact(part: Part, fact: "name" | "guid"): void {
    if (typeof part.value === "string") this.#componentOf(part)[fact] = part.value;
  }

  addGlobalMessages(part: Part): void {
    if (part.value !== null) this.#componentOf(part).globalMessages = messagesOf(fieldsOf(part));
  }

  addFile(part: Part): void {
    if (part.value !== null) this.#files[part.indexes[1]!] = locationOf(fieldsOf(part));
  }

  addBases(part: Part): void {
    if (part.value !== null) this.#bases = fieldsOf(part);
  }

  addColumnKind(part: Part): void {
    if (typeof part.value === "string") this.#columnKind = part.value;
  }

  /** All that was kept, once the run has ended. */
  *findings(reading: Reading): Generator<Finding | Unplaced, void, undefined> {
    // Some tools call each finding a failure. Without any, nobody knows what they did not get to.
    if (this.#kept.length === 0 && this.#failed !== undefined)
      throw wrong(this.#failed, ".executionSuccessful", "`true` or a finding that says why not", false);
    const columns = columnsOfTool[this.#driver.name?.toLowerCase() ?? ""] ?? columnsOfKind[this.#columnKind ?? ""] ?? "utf16";
    const places: Places = { files: this.#files, bases: this.#bases, columns };
    const file = remembering(
      (location: Location) => fileOf(location, places),
      mostFiles,
      ({ uri, base, index }) => `${uri}\0${base}\0${index}`,
    );
    const resolving: Resolving = { places, workspace: reading.workspace, file, place: placing(reading) };
    for (const kept of this.#kept) yield this.#findingOf(kept, resolving);
    this.#kept = [];
  }

  #findingOf(kept: Kept, resolving: Resolving): Finding | Unplaced {
    const { message, suppressed, secret } = kept;
    const component = this.#componentNamed(kept.rule);
    const rule = component.find(kept.rule) ?? (component === this.#driver ? this.#inExtensions(kept.rule) : undefined);
    const id = kept.rule.id ?? rule?.id ?? kept.unnamed;
    const text = message.text ?? textOfId(message.id, rule, component) ?? rule?.about ?? id;
    const severity = kept.severity ?? severityAt(rule?.level ?? "warning");
    const file = kept.file === undefined ? undefined : resolving.file(kept.file);
    return resolving.place(
      { rule: id, severity, message: messageText(text, message), help: rule?.help, suppressed, secret },
      { named: undefined, ...file, region: regionOf(kept.region, resolving.places), fix: editsOf(kept.fix, file?.named, resolving) },
    );
  }

  #inExtensions(name: RuleName): Rule | undefined {
    if (name.id === undefined) return undefined;
    for (const extension of this.#extensions) {
      const rule = extension?.find({ id: name.id });
      if (rule !== undefined) return rule;
    }
    return undefined;
  }

  #componentNamed({ extension }: RuleName): Component {
    if (extension === undefined) return this.#driver;
    const { index, name, guid } = extension;
    const indexed = index === undefined ? undefined : this.#extensions[index];
    return (
      indexed ??
      this.#extensions.find(
        (each) => each !== undefined && ((guid !== undefined && each.guid === guid) || (name !== undefined && each.name === name)),
      ) ??
      this.#driver
    );
  }

  /** `runs[0].tool.extensions[1]...`: the second index is the extension's, where its name is in the path. */
  #componentOf({ at, indexes }: Part): Component {
    if (!at.path.includes(".tool.extensions[")) return this.#driver;
    return (this.#extensions[indexes[1]!] ??= new Component());
  }
}

function severityAt(level: string): Severity {
  return Object.hasOwn(severityOfLevel, level) ? severityOfLevel[level]! : severityOfWord(level);
}

function textOfId(id: string | undefined, rule: Rule | undefined, component: Component): string | undefined {
  if (id === undefined) return undefined;
  const { messages = {} } = rule ?? {};
  return Object.hasOwn(messages, id)
    ? messages[id]
    : Object.hasOwn(component.globalMessages, id)
      ? component.globalMessages[id]
      : undefined;
}

/** A request that is not decided, or was refused, settles nothing. */
function suppressionOf(fields: Fields): Suppression | undefined {
  const suppressions = objectsAt(fields, "suppressions");
  const [first] = suppressions;
  if (first === undefined || suppressions.some((each) => (textAt(each, "status") ?? "accepted") !== "accepted")) return undefined;
  const reason = textAt(first, "justification");
  return {
    kind: textAt(first, "kind") === "inSource" ? "in_source" : "external",
    ...defined({ reason: reason === undefined || reason === "" ? undefined : wellFormed(reason) }),
  };
}
