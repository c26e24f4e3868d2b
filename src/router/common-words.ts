import { stemWord } from "./words-of.ts";

/** Words that are frequent in English or in any talk about software: to share one of them says little. */
const common: readonly string[] = [
  "able app access account action actual add after apply area ask available back backend bad base before begin behave behaviour best better between big bit block both box",
  "break bring build busy button call care case cause change check choose clean clear click client close code come common company complete component config contain",
  "content control copy correct could count create current customer daily data date day deal default depend deploy describe detail dev develop developer different do",
  "document done down each early easy edit either else email empty end engineer enough entire environment even event ever every exact exist expect explain extra face",
  "fact fail far fast feature feel few field figure file fill final find fine finish first fit fix follow form format free fresh frontend full function general give",
  "go good group grow guess guide half hand handle happen hard head hear hello high hold home hour idea important improve include info information input inside instead",
  "internal involve issue item job join keep key kind know large last late later launch lead leave left less level life line link list little live load local long look",
  "lot low main make manage many mark matter mean meet message method mind minute miss missing mode module moment month morning move much name near need never new next",
  "nice night normal note notice number old once only open option order other output own page part pass past people per person pick piece place plan platform play",
  "point possible post prepare present pretty previous problem process produce product project proper provide pull push put question quick quite rather reach read ready",
  "real reason record related remain remove repo repository report request require resource rest result return right role row rule run same save say screen second section",
  "see select send separate serve server service set setting several share short should show side simple since single site size slot small software solution somehow soon",
  "sort source space special stage stand standard start state status stay step still stop story strange stuff style subject support sure system table take talk task team",
  "tech tell text thing think ticket time title together tomorrow tool top total touch track tried true try turn type under understand update usual value various version",
  "view wait walk watch way week well whole within without wonder word work world write wrong year yet",
  "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december noon afternoon evening asap",
  "couple one two three four five six seven eight nine ten dozen hundred half third today tonight weekend sprint quarter",
];

/** Made when first asked for: most processes that load this room route nothing. */
let stems: ReadonlySet<string> | undefined;

export function isCommon(stem: string): boolean {
  stems ??= new Set(common.flatMap((line) => line.split(" ")).map(stemWord));
  return stems.has(stem) || /^\d+$/.test(stem);
}
