/** What people tell programs to do. Any word may do so; after these nothing needs to show that they are meant as verbs. */
export const doing: ReadonlySet<string> = wordSet(
  "accelerate adapt add adjust adopt align allow alter analyse analyze apply archive arrange assemble assess assign attach audit author automate backfill backport bisect",
  "block boost break bring build bump bundle calculate cancel carve catch categorise change chase check cherry-pick clean clear clone close collect combine commit compare",
  "compile complete compose compress configure connect consolidate containerise continue convert copy correct cover craft create critique crop cross-check cut deactivate",
  "debug decouple decrease deduplicate define delete deliver deploy deprecate design detect develop diagnose dig disable disentangle dispatch divide do dockerise document",
  "download draft drop dump duplicate edit eliminate email enable encrypt enforce enrich ensure erase establish estimate evaluate examine execute expand export extend",
  "extract feed fetch file fill filter finalise finalize find finish fix flag flatten follow forecast format freeze gather generate get give go grant group guide handle harden",
  "hide hook host hunt identify implement import improve incorporate increase index ingest insert inspect install instrument integrate introduce investigate isolate",
  "keep kick label launch lead limit link list load localise localize lock log look lower maintain make map mark match measure merge migrate minimise minimize mirror mock",
  "modernise modernize modify monitor move mute normalise normalize notify obtain onboard open optimise optimize order organise organize outline overhaul package pair",
  "parallelise parametrise parse partition patch perform permit pick pin plan plug point poke polish populate port post prepare prevent print prioritise process produce profile",
  "promote propose protect prove provide provision prune publish pull purge push put query queue raise rank re-run read rearrange rebase rebuild recalculate recheck",
  "reconcile reconfigure record recover redeploy redesign redirect redo reduce refactor refine reformat refresh regenerate register reindex reinstall reject relabel release renew",
  "reload relocate remove rename render reorder reorganise reorganize repair repeat replace replay report reproduce request rerun research reset resize resolve restart",
  "restore restrict restructure resync retire retrain retry return reuse revamp reverse revert review revise revisit revoke rewrite rework rollback roll rotate route run",
  "sanitise sanitize save scaffold scale scan schedule score scrub search secure seed segment send separate set ship shorten shrink shut sign silence simplify slim smooth",
  "snapshot solve sort spec speed spin split squash stabilise stabilize standardise standardize start stop store stress-test strip submit summarise supply support swap",
  "switch sync tackle tag take target test throttle tidy tighten tokenise trace track train transcribe transfer transform translate transpose trigger trim triage troubleshoot",
  "try tune turn undo unify unblock uninstall unlock untangle update upgrade upload use validate vet verify version walk whitelist widen wipe wire wrap write",
);

/** What people tell others to say: they want words back, not work. */
export const saying: ReadonlySet<string> = wordSet(
  "advise ask chat clarify compare count define describe discuss explain guess hear know list mean name note recommend remember remind say see show suggest summarise summarize talk",
  "tell think understand wonder",
);

/** Of these, what may be more work than an answer. */
export const finding: ReadonlySet<string> = wordSet("compare count describe list show summarise summarize");

/** What people tell one another in passing; no work is meant. */
export const passing: ReadonlySet<string> = wordSet(
  "believe cheer come congratulate consider enjoy excuse expect forgive hope imagine join laugh let like love meet pardon ping relax rest see sleep stay suppose thank trust",
  "wait watch welcome wish worry feel",
);

/** Verbs that say nothing by themselves about what is to be done. */
export const anything: ReadonlySet<string> = wordSet(
  "bring change deal do find get give go handle have help jump keep let look make move open pick put run set start sort take try turn use",
);

/** What a sentence begins with where no verb is first: words without an ending that tells so. */
export const noVerbs: ReadonlySet<string> = wordSet(
  "a about above after afterwards again agreed ah all almost already also although always am an and another any anybody anyone anything apart apparently are as at aw awesome",
  "bad because before behind below best besides better between big both bravo but by bye can cannot cause cheers clearly cool could currently damn dear despite did do does done",
  "down due during each either else enough even ever every everybody everyone everything except far few fine finally first for former four from full funny further fyi given",
  "glad gone good great guys had half happy hard has have he hello hence her here hey hi him his hm hmm hopefully how however huge i if in indeed inside instead interesting into",
  "is it its just kudos last lately later least less lol lots lovely many may maybe me mere might mine more morning most much must my near neat neither never new next nice no",
  "nobody none nope nor not nothing now nowhere of off often oh ok okay old on once one only onto ooh oops or other others otherwise our ours out outside over own past per perfect",
  "perhaps plus poor pretty quite rather real really right sad same several shall she should since so some somebody somehow someone something sometimes soon sorry sounds still",
  "strange stuff such super sure terrible than thanks that the their theirs them then there these they this those though three through thus till to today together tomorrow tonight",
  "too true truth two ugh uh under unless until up upon us usually very via was we weird well were what when whenever where whereas wherever whether which while who whoever whom",
  "thx ty tysm cc whose why will with within without wont would wow wrong yeah yep yes yesterday yet you your yours",
  "became began bought broke built came caught chose did drove fell felt found gave got grew had heard held kept knew left lost made met paid ran said sat saw sent shot sold spent",
  "spoke stood stole thought threw told took understood went woke won wrote",
);

/** What is in front of the thing that something is done to. */
export const articles: ReadonlySet<string> = wordSet(
  "the a an this that these those my our your his her their its it them us me all every each any some both another more everything everybody anything something whatever",
  "whichever no 'em one two three four five six",
);

/** What belongs to a verb in front of it: `spin up`. */
export const particles: ReadonlySet<string> = wordSet(
  "up down out off back over through into away around along together in on for from to with against at onto across",
);

/** What else ends a noun: prepositions and conjunctions that belong to no verb. */
export const links: ReadonlySet<string> = wordSet(
  "of about by under between before after until than as like via during without within or per so because if when while which who that's , ; ( )",
);

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")));
}
