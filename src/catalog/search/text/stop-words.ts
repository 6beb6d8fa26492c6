const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Words that say nothing about a paid resource, in listings and questions alike. */
export const STOP_WORDS: ReadonlySet<string> = words(
  `a an the this that these those it its they them their he him his she her we us our you your i me my mine am is are
  was were be been being do does did done doing has have had having will would shall should may might must can could of
  in on at to from by with without for as into onto about above below between against over under out up down off so than
  too very just also only own same such not no nor or and but if then else because while until per via let lets us s t d
  ll re ve m please give show tell want need some any all each every both few more most other there here again once`,
)

/** Words that ask. They carry no subject, so text ranking ignores them, but they tell a duration from a place. */
export const QUESTION_WORDS: ReadonlySet<string> = words(
  `what which who whom whose when where why how much many long far`,
)
