import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
} from 'js-yaml'

/* The nodes of a YAML text with their places, so that a part can be replaced and the rest keeps its comments. */

interface Place {
  /** Offsets into the text, the end exclusive; with quotes and an anchor. */
  readonly start: number
  readonly end: number
  /** A mapping or list without braces and brackets: its lines say by their indentation what belongs to it. */
  readonly isBlock: boolean
}

export interface Member {
  readonly key: Place & { readonly text: string }
  readonly value: YamlNode
}

export type YamlNode = Place &
  (
    | { readonly kind: 'scalar'; readonly text: string }
    | { readonly kind: 'list'; readonly items: readonly YamlNode[] }
    | { readonly kind: 'map'; readonly members: readonly Member[] }
    | { readonly kind: 'alias' }
  )

/** The root node of each document. Throws the YAMLException of a text that is not YAML. */
export function yamlDocuments(text: string): readonly YamlNode[] {
  const events = parseEvents(text, {})
  let at = 0
  const documents: YamlNode[] = []
  while (at < events.length) {
    at += 1
    documents.push(...nodesUntilPop())
  }
  return documents

  function nodesUntilPop(): YamlNode[] {
    const nodes: YamlNode[] = []
    for (let event = events[at]; event && event.type !== EVENT_ID.POP; event = events[at]) {
      at += 1
      nodes.push(nodeOf(event))
    }
    at += 1
    return nodes
  }

  function nodeOf(event: Event): YamlNode {
    if (event.type === EVENT_ID.SCALAR) {
      const isQuoted =
        event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
      const start =
        event.anchorStart < 0 ? event.valueStart - (isQuoted ? 1 : 0) : event.anchorStart - 1
      const end = event.valueEnd + (isQuoted ? 1 : 0)
      return { kind: 'scalar', start, end, isBlock: false, text: getScalarValue(text, event) }
    }
    if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
      const isBlock = event.style === COLLECTION_STYLE.BLOCK
      const start = event.anchorStart < 0 ? event.start : event.anchorStart - 1
      const nodes = nodesUntilPop()
      const last = nodes.at(-1)?.end ?? event.start + 1
      const end = isBlock ? last : closingAfter(text, last)
      const place = { start, end, isBlock }
      return event.type === EVENT_ID.SEQUENCE
        ? { kind: 'list', ...place, items: nodes }
        : { kind: 'map', ...place, members: membersOf(nodes) }
    }
    if (event.type === EVENT_ID.ALIAS) {
      const place = { start: event.anchorStart - 1, end: event.anchorEnd, isBlock: false }
      return { kind: 'alias', ...place }
    }
    throw new TypeError('a document within a document')
  }
}

const membersOf = (nodes: readonly YamlNode[]): readonly Member[] =>
  nodes.flatMap((key, index) => {
    const value = nodes[index + 1]
    if (index % 2 === 1 || !value || key.kind !== 'scalar') return []
    return [{ key, value }]
  })

/** After the bracket that closes a flow collection whose last part ends at `from`; comments may stand before it. */
function closingAfter(text: string, from: number): number {
  const [before = ''] = /^(?:\s|,|#[^\n]*\n)*[\]}]/.exec(text.slice(from)) ?? []
  return from + before.length
}

export const memberOf = (node: YamlNode | undefined, name: string): Member | undefined =>
  node?.kind === 'map' ? node.members.find(({ key }) => key.text === name) : undefined
