import { parseSync } from 'vite'
import { isNode, nodesIn, type SyntaxNode } from '../../test/support/syntax.ts'

declare global {
  /** Whether the mutant of this id is the active one. Instrumented sources call it. */
  var __isActive: (id: number) => boolean
}

/** One rule of a source file, broken. */
export interface Mutant {
  /** Unique over all files, from 1. */
  readonly id: number
  readonly file: string
  readonly line: number
  readonly kind: MutantKind
  /** The code that is replaced, on one line. */
  readonly code: string
  /** Counts the mutants of this file with the same kind and code, from 1. */
  readonly occurrence: number
}

/**
 * - `negated`: the condition of an `if` or `?:` is turned around;
 * - `operand`: the right side of `&&` or `||` is left out;
 * - `query`: a `where`, `forUpdate` or `skipLocked` of a query is left out;
 * - `element`: a name is left out of a list of checks, or a condition out of `and([...])` and `or([...])`.
 */
type MutantKind = 'negated' | 'operand' | 'query' | 'element'

/** A source whose mutants are all in it; the global `__isActive` switches one of them on. */
export interface Instrumented {
  readonly mutants: readonly Mutant[]
  readonly code: string
}

/** The text `before` goes to `start`, `after` to `end`; outer replacements come first in the list. */
interface Replacement {
  readonly node: SyntaxNode
  readonly kind: MutantKind
  readonly before: (id: number, original: (node: SyntaxNode) => string) => string
  readonly after: string
}

const queryMethods: ReadonlySet<unknown> = new Set(['where', 'whereRef', 'forUpdate', 'skipLocked'])

/** Puts every mutant of a source into it. Throws when the source does not parse. */
export function instrument(file: string, code: string, firstId: number): Instrumented {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  const original = ({ start, end }: SyntaxNode) => code.slice(start, end)
  const found = [...nodesIn(program)].flatMap(replacementsOf)
  const inserts: { readonly at: number; readonly order: number; readonly text: string }[] = []
  const seen = new Map<string, number>()
  const mutants = found.map(({ node, kind, before, after }, index): Mutant => {
    const id = firstId + index
    inserts.push({ at: node.start, order: index, text: before(id, original) })
    // When two mutants end at the same place, the inner one is closed first.
    inserts.push({ at: node.end, order: -1 - index, text: after })
    const line = code.slice(0, node.start).split('\n').length
    const text = original(node).replace(/\s+/g, ' ')
    const occurrence = (seen.get(`${kind} ${text}`) ?? 0) + 1
    seen.set(`${kind} ${text}`, occurrence)
    return { id, file, line, kind, code: text, occurrence }
  })
  return { mutants, code: withInserts(code, inserts) }
}

function withInserts(
  code: string,
  inserts: readonly { readonly at: number; readonly order: number; readonly text: string }[],
): string {
  let done = 0
  let result = ''
  for (const { at, text } of inserts.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    result += code.slice(done, at) + text
    done = at
  }
  return result + code.slice(done)
}

function replacementsOf(node: SyntaxNode): readonly Replacement[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return isNode(node['test']) ? [negated(node['test'])] : []
    case 'LogicalExpression':
      return node['operator'] === '??' ? [] : [withoutRightSide(node)]
    case 'CallExpression':
      return ofCall(node)
    case 'VariableDeclarator':
      return isNode(node['init']) ? ofNames(node['init']) : []
    default:
      return []
  }
}

const negated = (node: SyntaxNode): Replacement => ({
  node,
  kind: 'negated',
  before: (id, original) => `(__isActive(${id}) ? !(${original(node)}) : (`,
  after: '))',
})

const withoutRightSide = (node: SyntaxNode): Replacement => ({
  node,
  kind: 'operand',
  before: (id, original) => `(__isActive(${id}) ? (${original(node['left'] as SyntaxNode)}) : (`,
  after: '))',
})

/** `query.where(...)` becomes `query`; `eb.and([a, b])` loses one of its elements. */
function ofCall(node: SyntaxNode): readonly Replacement[] {
  const { callee } = node
  if (!isNode(callee) || callee.type !== 'MemberExpression') return []
  const { object, property } = callee
  if (!isNode(object) || !isNode(property)) return []
  const method = property['name']
  if (queryMethods.has(method)) {
    const before = (id: number, original: (of: SyntaxNode) => string) =>
      `(__isActive(${id}) ? (${original(object)}) : (`
    return [{ node, kind: 'query', before, after: '))' }]
  }
  const [list] = Array.isArray(node['arguments']) ? node['arguments'] : []
  return (method === 'and' || method === 'or') && isNode(list) ? elementsOf(list) : []
}

/** Elements of a list that holds nothing but names, such as checks in their order. */
function ofNames(init: SyntaxNode): readonly Replacement[] {
  const elements = init['elements']
  if (!Array.isArray(elements) || elements.length < 2) return []
  const areNames = elements.every((element) => isNode(element) && element.type === 'Identifier')
  return areNames ? elementsOf(init) : []
}

function elementsOf(list: SyntaxNode): readonly Replacement[] {
  if (!Array.isArray(list['elements'])) return []
  return list['elements'].filter(isNode).flatMap((node): readonly Replacement[] =>
    node.type === 'SpreadElement'
      ? []
      : [
          {
            node,
            kind: 'element',
            before: (id) => `...(__isActive(${id}) ? [] : [`,
            after: '])',
          },
        ],
  )
}
