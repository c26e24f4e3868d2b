/** What people tell programs to do, as the first word of a sentence: what it means beside a verb does not matter there. */
export const doing: ReadonlySet<string> = wordSet(
  "add adjust analyse analyze apply arrange assess attach audit automate backport bisect break bring build bump bundle change check clean close collect",
  "combine commit complete compose configure connect continue convert copy correct cover create cut debug decouple delete deliver deploy deprecate design develop",
  "diagnose disable divide do document draft drop eliminate enable enforce ensure establish evaluate examine execute expand export extend extract file fill find",
  "finish fix format generate get give go group guide handle harden have hide implement import improve increase inspect install integrate introduce investigate",
  "isolate keep launch lead limit link list localise localize lock log look lower make mark measure merge migrate minimise minimize modernise modernize modify",
  "monitor move onboard open optimise optimize organise organize outline package parse patch perform plan polish port prepare process produce profile prune",
  "publish pull push put raise read rearrange rebase rebuild reduce refactor refresh register release remove rename reorder reorganise reorganize repair",
  "replace report reproduce request research resolve restore restructure retry revert review revise rework rewrite roll run sanitise sanitize save scan schedule",
  "search secure send separate set ship shorten simplify solve sort speed split squash standardise standardize start submit support switch sync take test tidy",
  "track transform trigger triage troubleshoot try turn undo unify update upgrade upload use validate verify walk wire wrap write",
);

/** What people tell others to say: they want words back, not work. */
export const saying: ReadonlySet<string> = wordSet(
  "advise ask chat clarify compare define describe discuss explain guess hear know mean recommend remember remind say see show suggest summarise summarize talk",
  "tell think translate understand wonder",
);

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")));
}
