import { nearest, WaymarkError, type Catalogue, type Diagnostic, type Place } from "../base/index.ts";

/** Every code this room throws or reports. */
export const knowledgeCodes: Catalogue = {
  KNOWLEDGE_FRONT_MATTER: {
    what: "The front matter of a topic is not valid YAML, or is not a map.",
    why: "Title, tags, versions and signals of the topic are unknown. Its text can still be read, and it is found by its name.",
    fix: "Correct the YAML between the two lines of `---` at the place named.",
  },
  KNOWLEDGE_FIELD: {
    what: "A field of a topic's front matter has a value that cannot be used.",
    why: "The field has another type than documented, or is not a version range. The topic is used as if the field were absent.",
    fix: "Give the field a value of the form named in the message.",
  },
  KNOWLEDGE_INDICATOR: {
    what: "A regular expression among the indicators of a topic is not used.",
    why: "It does not compile, or it could take very long on some texts.",
    fix: "Write it without repeated groups, back references and look-around, and with at most three `*` or `+`.",
  },
  KNOWLEDGE_SPECIALISTS: {
    what: "A list of specialists cannot be used, in whole or in part.",
    why: "The file is not valid YAML, or an entry has no `specialist_id`.",
    fix: "Correct the file at the place named: a list of maps, each with `specialist_id`, `title`, `domains` and `when_to_use`.",
  },
  KNOWLEDGE_CACHE: {
    what: "The index of topics could not be kept for the next start.",
    why: "The folder for it cannot be written. Everything works, but the next process builds the index again.",
    fix: "Make room or correct the permissions of the folder named.",
  },
  KNOWLEDGE_GUIDE_MARKERS: {
    what: "A conversion guide contains none of the markers from which patterns are taken.",
    why: "Without a list of search names or a table of methods nothing can be searched for, so its version step finds nothing.",
    fix: "Add one of the markers named in the message, or name a `finder` in the guide's front matter.",
  },
  KNOWLEDGE_GUIDE_VERSION: {
    what: "A conversion guide does not say for which version it is.",
    why: "Its file name has no `bc<number>-` and its front matter neither `target_version` nor a step in `bc_versions`.",
    fix: "Name the file `bc<target version>-<topic>-conversion-guide.md`, or add `target_version`.",
  },
  KNOWLEDGE_VERSION: {
    what: "A text is not a version.",
    why: "Versions are written `BC24`, `24` or `24.0`.",
    fix: "Give the version in one of these forms.",
  },
  KNOWLEDGE_VERSION_ORDER: {
    what: "The target version is not above the source version.",
    why: "An upgrade goes from an older version to a newer one.",
    fix: "Exchange the two, or correct the wrong one.",
  },
  KNOWLEDGE_ANALYSIS_TYPE: {
    what: "A kind of analysis is not known.",
    why: "There are `performance`, `quality`, `security`, `patterns` and `comprehensive`.",
    fix: "Use one of these, or leave it out for `comprehensive`.",
  },
  KNOWLEDGE_NO_CODE: {
    what: "There is nothing to analyse.",
    why: "The text of the code is empty.",
    fix: "Pass the text of a file as `code`, or name a file that is not empty.",
  },
  KNOWLEDGE_NO_QUESTION: {
    what: "There is no question to answer.",
    why: "The text of the question is empty.",
    fix: "Ask in a sentence or in a few words, such as `When is SetLoadFields worth it?`.",
  },
  KNOWLEDGE_SPECIALIST_UNKNOWN: {
    what: "A specialist is not known.",
    why: "No layer of knowledge has an entry with this id.",
    fix: "Use one of the ids named in the message, or leave the specialist out.",
  },
};

/** A problem of a file: nothing stops, but a person should see it. */
export function fileProblem(code: string, message: string, place: Place): Diagnostic {
  return { code, severity: "warning", message, fix: knowledgeCodes[code]?.fix ?? "", place };
}

export function refusal(code: string, message: string, details: Readonly<Record<string, unknown>> = {}): WaymarkError {
  return new WaymarkError({ code, message, fix: knowledgeCodes[code]?.fix ?? "", details });
}

export function unknownSpecialist(id: string, known: readonly string[]): WaymarkError {
  const close = nearest(id, known);
  const shown = (close.length > 0 ? close : known).map((name) => `\`${name}\``);
  const message = `There is no specialist \`${id}\`. ${shown.length === 0 ? "No layer names any." : `Known: ${shown.join(", ")}.`}`;
  return refusal("KNOWLEDGE_SPECIALIST_UNKNOWN", message, { nearest: close, known });
}
