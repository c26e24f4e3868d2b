/** Words in front of what is meant. */
export const leading: RegExp =
  /^(?:(?:hi|hello|hey|heya|yo|morning|good morning|ok|okay|k|well|so|now|then|and|but|also|just|only|first|next|yes|yep|great|thanks|please|pls|plz|kindly|maybe|urgent|fyi|btw|ideally|quickly|quick one|again|instead|go ahead and|feel free to|be so kind and|dear (?:all|team)|(?:team|folks|guys|all|everyone|friends|bot)(?=\s*[,:!–-]|\s+(?:please|pls|plz|can|could|would|i|we)\b)|ha(?:ha)+|hehe|lol|lmao|hm+|imo|imho|tbh|fwiw|@[\w-]+|(?:when|whenever|once|as soon as|if) (?:you|u|someone|anyone|anybody|somebody)(?:'ve| have|'re| are| get| can| find| got)? ?(?:a |some |the |any )?(?:free|time|minutes?|mins?|moments?|chance|sec|seconds?|spare \w+|capacity)|if possible|for (?:me|us)|by the way|one more(?: thing)?|tiny ask|small ask|quick ask|request|(?:[a-z]{2,10}-|#)\d+(?=:))\b[\s,:!.–-]*)+/;

/** Who may be asked. */
const you = "(?:you|u|ya|y'all|somebody|someone|anybody|anyone|one of you|the team)";

/** A request in the form of a question or of a wish. */
export const wishes: RegExp = new RegExp(
  `^(?:(?:can|could|would|will|cld|wld|cud) ${you}(?! (?:rather|ever|even|still|prefer|like|love|hate|want|say|recommend)\\b)|(?:do|would) you mind|(?:mind|fancy)(?= \\w+ing\\b)|(?:can|could|may) (?:i|we) (?:get|have)|how about|(?:i|we)(?: urgently| really| just| also| now| do| still| desperately)* (?:want|need|require)|(?:i|we) would (?:also |really )?(?:like|love)|(?:need|needed|want|looking for|requesting|asking for)(?= )|(?:i|we)(?:'d| would) (?:really )?(?:like|love)|(?:(?:i|we)(?:'d| would) |would )(?:really |much )?appreciate|(?:i|we) have to|(?:someone|somebody) (?:has to|needs to|must)|let's|lets|let us|let (?:the )?(?!me\\b|us\\b|him\\b|her\\b|it\\b|them\\b|you\\b|go\\b|this\\b|that\\b)[\\w-]+|help me|help us|(?:someone|somebody|anyone|anybody)(?= (?:please |pls )?(?:take|handle|fix|look|check|help|pick|get|do|own|review|grab|jump)\\b)|(?:it(?:'d| would)|would|'d) be (?:\\w+ )?(?:great|nice|good|helpful|cool|awesome|lovely) to have|have a (?:(?:quick|closer|critical) )?(?:look|read)|time to|it(?:'s| is) time to|(?:i was wondering if|i wonder if|wondering if|(?:it(?:'d| would)|would|'d) be (?:\\w+ )?(?:great|nice|good|helpful|cool|awesome|lovely|kind|super) if|any chance|(?:i|we)(?:'d| would) (?:appreciate|be (?:happy|glad|grateful)) (?:it )?if|do you think)(?: that)? ${you}(?: (?:can|could|would|might))?)\\b(?: (?:to|please|pls|kindly|now|also|just|maybe|possibly|really|quickly|you to|(?:the )?users? to|it to|go and|help me|help us))*\\s*`,
);

/** A wish for something that someone else has: `the page needs a button`. */
export const needs: RegExp =
  /^(?!(?:nobody|no one|nothing|who|what|he|she|tom)\b)(?:\S+ ){0,8}?(?:needs? (?!to\b|no\b|you\b)\S|(?:needs?|has to|have to|must|should|ought to) (?:to )?(?:be\b|get\b|have\b|go\b|a\b|an\b|the\b|some\b|new\b|more\b|another\b|(?:\S+ ){0,4}\S+(?:ed|ing)\b))/;

/** What does not wait. */
export const urgent: RegExp =
  /(?:!!|\b(?:asap|urgent(?:ly)?|immediately|right (?:now|away)|at once|help+|emergency|by (?:today|tonight|tomorrow|noon|monday|tuesday|wednesday|thursday|friday|eod|cob|end of|the end of)|before (?:noon|lunch|tonight|tomorrow|monday|tuesday|wednesday|thursday|friday))\b)/;

/** What is wrong at this moment. */
export const complains: RegExp =
  /\b(?:(?:is|are|'s|goes|keeps?|still|been) (?:\w+ )?(?:broken|down|failing|crashing|stuck|unreachable|unavailable|wrong|red|dead|offline|degraded|throwing|returning|timing out|slow|blank|empty|missing|leaking|outdated|unusable|hanging|gone|unable)|\w+s (?:failing|crashing|hanging|timing out)|fails?|crashes|forgets|loses|ignores|drops|swallows|freezes|breaks|throws|can(?:not|'t| not)|(?:nobody|no one|none|no \w+) (?:\w+ ){0,4}can|doesn't|does not|don't work|won't|times? out|never (?:\w+s|arrives?)|stopped|went (?:\w+ )?(?:blank|down|dark|offline|missing)|disappears?|too (?:slow|long|much)|forever|lags?|returns? (?:an? )?(?:error|[45]\d\d))\b/;

/** Someone has it already, or it is over. */
export const settled: RegExp =
  /\b(?:already|is on it|are on it|on it now|looking into it|false alarm|no need|was my|my fault|never mind|nvm|resolved|solved|was (?:down|broken|slow|red)|known issue|back (?:up|to normal)|all (?:good|green|done)|no action|fixed (?:it|that|this)|got it|nothing (?:to|left)|no longer)\b/;

export const proposes: RegExp =
  /^(?:(?:can|could|should|shall|may|might) (?:we|i)|(?:can|could) (?:the|our) |what about|why (?:don't|not)|it(?:'d| would) be (?:nice|great|good|cool|useful|helpful)|(?:i|we|someone|somebody|you) (?:should|could|might|ought)|(?:i|we) (?:think|guess|believe|feel) (?:that )?(?:\S+ ){1,3}(?:should|could|might|needs?|ought))\b/;

export const asks: RegExp =
  /^(?:(?:what|what's|whats|why|who|who's|whom|whose|when|when's|where|where's|which|how|how's|is|are|was|were|am|isn't|aren't|wasn't|does|doesn't|did|didn't|has|hasn't|had|should|shall|may|might|must|anyone|anybody|wondering|curious|quick question|question)\b|(?:do|don't|have|haven't) (?:i|you|u|we|they|any|anybody|anyone|people)\b|(?:will|would|can|could) (?:i|you|u|we|they|he|she|it|there|this|that|these|those|the|our|any|anybody|anyone|someone|somebody|people)\b|any (?:idea|thoughts?|news|chance|updates?|progress|reason|plans?)\b)/;

export const refuses: RegExp =
  /^(?:(?:i|we|you)(?:'d| would| should| must)?(?: rather)? (?:don't|do not|won't|will not|not|never|wouldn't|am not|are not)\b(?! (?:sure|understand|know|see|get|have))|(?:i|we) (?:can't|cannot)\b(?=.{0,40}\b(?:now|yet|today|this)\b)|i'm not\b(?! sure)|let's not\b|(?:don't|do not|dont|never|no(?! one\b| (?:\w+ ){1,5}can\b)|nope|not(?! sure| able| all)|nothing (?:to|needs|more|left|for)|stop(?! the bleed)|cancel|wait|abort|enough|forget|leave(?! (?:\S+ ){0,2}(?:comments?|remarks?|feedback|notes?)\b)|ignore|skip|hold|nvm|scratch)\b)/; // prettier-ignore

/** What says the opposite of a wish: `let's wait with it`. */
export const waits: RegExp =
  /^(?:wait|stop(?! the bleed)|hold|postpone|skip|leave(?! (?:\S+ ){0,2}(?:comments?|remarks?|feedback|notes?)\b)|forget|ignore|cancel|not|never|park|drop it|hold off|do nothing)\b/;

/** A last word that takes back what was said before; with an object of its own it is a limit of what is wanted. */
export const takesBack: RegExp =
  /^(?:(?:actually|oh|sorry|hm+|ah|but|ok|edit)[, :]+)*(?:(?:no|nope)(?:[,.!].{0,24})?|(?:never ?mind|nvm|scratch that|ignore that|ignore me|not now|false alarm|just (?:asking|kidding))\b.{0,24}|(?:stop|leave|cancel|forget)(?: (?:it|that|about it))?|wait(?: a \w+)?|(?:don't|do not)(?: (?:do|start|run|bother)(?: (?:it|that|anything))?)?)[.! ]*$/;

/** What is wanted is an answer: `I need help to understand it`. */
export const wantsWords: RegExp =
  /^(?:(?!that |which |who )\S+ ){0,3}(?:understand\w*|(?<!get to )know\w*|explain|explaining|an? explanation|explanations|talk\w*|discuss\w*|questions?|advice|opinions?|ideas?|info|information|decide|vacation|holidays?|coffee|beer)\b/;

/** What is to be found out, and may be all that is wanted: `find where it is read`. */
export const findsOut: RegExp =
  /^\S+(?: out| into| for us)? (?:why|how|where|who|which|when|whether|if)\b(?!.*\b(?:and|then) (?!if|how|why|when|where|who|whether|what|which)\S+ (?:it|them|this|that|the|our)\b)/;

/** What is asked for is that something does not happen. */
export const prevents: RegExp = /\b(?:nobody|no one|not|never|don't|doesn't)\b/;

/** Polite words of other languages: the rest is not understood, so it is asked about. */
export const otherLanguage: RegExp =
  /(?:^|[\s,])(?:bitte|kannst du|könnt ihr|könntest du|könntet ihr|können (?:sie|wir)|(?:kann|könnte) (?:mal )?(?:jemand|wer)|por favor|puedes|podrías|podéis|pueden|s'il (?:te|vous) pla[iî]t|stp|svp|merci de|il faudrait|peux-tu|tu peux|pourrais-tu|tu pourrais|pouvez-vous|vous pouvez|per favore|puoi|potresti|alsjeblieft|kun je|kan iemand|kunnen jullie)(?=$|[\s,.!?])/;

export const thanks: RegExp =
  /^(?:(?:many|big|huge|ok|okay|great|cool|nice|oh|ah|awesome|perfect|super|wow)[\s,]+)*(?:thanks|thank you|thx|ty|cheers|merci|danke|gracias|kudos|props|congrats|congratulations|well done|great job|good job|nice (?:job|work)|great work|good work|shout ?out|love (?:the|how|that|it)|happy)\b(?! in advance)/;

/** Who did, does or will do it. Who found or tried something, or has it, may report that it is broken. */
export const reports: RegExp =
  /^(?:let me\b|(?:i|we|you|he|she|they)(?:'ll|'ve| will| have (?:already |just )?(?:been|done|made|had|put|cut|sent|built|written|taken|gone|(?!outdated)\w+ed)\b| had| has| did| was| were| already| just| usually| always| am going to| are going to| plan to| used to| (?:saw|heard|went|made|wrote|took|ran|thought|knew|sent|left|came|gave|put|cut|read|built|told)\b| (?!need|notic|discover|experienc|observ|receiv|expect|tried|click|encounter|spott|detect)\w+ed\b)|(?:i'm|we're|he's|she's|they're|you're) \w+ing\b|(?:he|she|they|\S+) (?:said|says|told|asked|wrote|writes|thinks|wants me|is (?:\w+ )?(?:looking|working|reviewing|fixing|deploying|handling|doing|writing|taking|investigating|checking|testing|preparing|releasing|merging|updating|rolling))\b|\S+(?: \S+)? (?:will|is going to|are going to)\b|\w+ed \S+)/;

/** Words of someone else, or of a text, which follow or are reported. */
export const tells: RegExp =
  /\b(?:said|say|says|wrote|writes|reads|titled|called|quote|words were|joked|literally)\b[^,.]{0,40}[:'"“]|\b(?:asked|told|tells|asks|wants|wanted|begged|reminded) (?:me|us|him|her|them|tom|anna|everyone|everybody|people)\b|^\S+(?: \S+){0,4}: ['"“]/;

/** When what is planned is to happen: not now. */
export const later: RegExp =
  /\b(?:next (?:week|month|quarter|year|sprint|iteration|time|release)|some ?day|one day|at some point|eventually|sooner or later|in (?:january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]|autumn|spring|summer|winter|the long run|the future)|after (?:the )?(?:holidays|summer|freeze|break|christmas|easter|vacation)|not before|once .{1,40} (?:is|are) (?:over|done|back|finished|merged)|(?:this|that) (?:quarter|year)|in (?:a few|two|three|some|\d+) (?:weeks|months|years))\b/;

export const bullet: RegExp = /^(?:[-*•]|\d{1,2}[.)])\s+/;

/** A line of minutes or of a plan: whose task it is. */
export const listed: RegExp = /^(?:[-*•]\s+@?\p{L}+:\s|(?:reminder|agenda|meeting|fyi|minutes|note|psa|joke|tip|fun fact|til)\b ?[:,–-] )/u;

/** Someone speaks in a conversation that is pasted: two such lines. */
export const spoken: RegExp = /^@?\p{L}+: .*\n+@?\p{L}+: /mu;

/** A line that a program wrote. */
export const logged: RegExp =
  /^(?:\$ |\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|\[(?!a-z)\w+[\]:]|at \S+ ?\(|(?:info|warn|warning|error|debug|fatal|trace)\b[: \]]|\S+(?:error|exception): |traceback |file "|npm (?:err|warn)|(?:.*\s)?\d+ (?:passing|failing|passed|failed|skipped|ignored|added|changed|destroyed|executed)\b|\S+ {3,}\S)/;

export const conditional: RegExp =
  /^(?:if|unless|in case|suppose|supposing|assuming)\b(?! (?:possible|necessary|needed|that's|you (?:can|could|have|don't|do not|like|want|please|would)))/;

/** What begins a description of what is asked for. */
export const describes: RegExp = /\s(?:that|which|who|whose|where|because|since|so that|when|while|as soon as)\s|\s[([]/;

/** Who says please wants something done; what follows some words does not do. */
export const polite: RegExp =
  /\b(?:please|pls|plz)\b(?!,? (?:be|note|remember|welcome|join|see|forgive|excuse|enjoy|bear|ignore|accept|feel|stay|let me|don't|do not|no)\b)/;

/** What hands something over, in whatever sentence. */
export const handsOver: RegExp =
  /\b(?:(?:is|are|all) yours|yours(?: to\b|\?)|your turn|(?:could|can) use (?:a|an|another|some|your)\b|over to you|off you go|go ahead|go for it|have at it|take it from here|take (?:this|it|that)(?: one)? on|pick (?:this|it) up|ready for (?:a |an |another |the |some |your )?(?:\w+ )?(?:review|look|pair|eyes|feedback)|get on (?:this|it)|jump on (?:it|this)|(?:wanted|needed|required|requested) (?:on|for|in|with|at|please)\b)/;

/** What has the form of a request and is none. */
export const idioms: RegExp =
  /^(?:change my mind|prove me wrong|convince me|fight me|do the math|hold my beer|take my word|make my day|take care\b(?! of)|keep (?:up|it up|going|calm)|have a (?!look|read)|give me a break|call it a day|beat me|bear with|long live|mark my words)\b/;

/** A question for a result that someone has to work out. */
export const worksOut: RegExp =
  /^(?:how (?:many|much|often|did)|what(?:'s| is| was| were) the (?:average|median|mean|total|number|share|percentage|rate|split|ratio|highest|lowest)|what (?:share|part|percentage|proportion|fraction|number)|which (?:\S+ ){1,4}(?:most|least|best|worst|more|fewer|less))\b/;

/** What is to be handed over to people: `send me the list`. */
export const handsTo: RegExp = /^(?:send|give|get|write|bring|hand|draw) (?:me|us)\b/;

/** A place that is to be shown: `find the page about it`. */
export const looksUp: RegExp = /^(?:find|get|give) (?:me |us )?(?:the|a|an) (?:\S+ ){1,2}(?:about|on)\b/;
