import { anyOf, END, MAYBE_NOT, type Question, START, takeAll, withConstraint } from './question.ts'

const TOOL = anyOf('tools?|servers?')
const SERVICE = anyOf('apis?|endpoints?|resources?|services?')
const LEAD = anyOf('only|as|via|over|through|using|with|an?|the')
const LEADS = `(?:${START}(?:${LEAD} )+)?`

const MCP = new RegExp(
  `${MAYBE_NOT}${LEADS}${START}${anyOf(
    `(?:${TOOL} )?(?:mcp|model context protocol)(?:[ -]${TOOL})?`,
  )}${END}(?: only${END})?`,
  'giu',
)
/** The word alone is more often a subject: "http headers", "http status". */
const HTTP = new RegExp(
  `${MAYBE_NOT}${anyOf(
    `${START}(?:(?:${LEAD}) )?(?:plain |ordinary |normal )?(?:https?|rest(?:ful)?) ${SERVICE}`,
    `${START}(?:(?:as|via|over|only|plain|ordinary) )+(?:https?|rest)`,
    '(?<=, ?(?:not? )?)(?:https?|rest)(?=$|,)',
    `${START}https? only(?=$|,)`,
  )}${END}(?: only${END})?`,
  'giu',
)
const ANY_TOOL = new RegExp(
  `${START}(?:an? )?${TOOL}(?: ${anyOf('that|to|for|with')})?${END}`,
  'giu',
)

/** Reads the kind of resource: MCP tools, HTTP endpoints, or one that is refused. */
export function takeType(question: Question): Question {
  const mcp = takeAll(question, MCP, (known, { not }) =>
    withConstraint(known, not === undefined ? 'types' : 'exceptTypes', 'mcp'),
  )
  return takeAll(mcp, HTTP, (known, { not }) =>
    withConstraint(known, not === undefined ? 'types' : 'exceptTypes', 'http'),
  )
}

/** Takes "a tool that" out of the words: it says that an agent asks, and nothing of the subject. */
export const takeTool = (question: Question): Question =>
  takeAll(question, ANY_TOOL, (known) => ({ ...known, asksForTool: true }))
