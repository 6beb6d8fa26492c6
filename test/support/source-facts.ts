import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { isNode, nodesIn, type SyntaxNode } from './syntax.ts'

/** A piece of a source file, and its line (from 1). */
interface Fact {
  readonly what: string
  readonly line: number
}

interface Import extends Fact {
  /** A statement `import type` or `export type`, of which nothing is left at run time. */
  readonly isTypeOnly: boolean
}

export interface SourceFacts {
  /** Specifiers of every import: static, dynamic, of types, and re-exports. */
  readonly imports: readonly Import[]
  /** Dynamic imports whose specifier is computed, which no rule can check. */
  readonly computedImports: readonly Fact[]
  /** Members of globals by dotted name, such as `Date.now`; `new Date()` without arguments too. */
  readonly globals: readonly Fact[]
  /** Every text: of string literals, also of types, and the fixed parts of templates. Specifiers of imports are among them. */
  readonly texts: readonly Fact[]
  readonly lineCount: number
}

const importingNodes: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
])

const known = new Map<string, SourceFacts>()

/** The facts of a file, which is parsed once in a process. */
export function factsOf(file: string): SourceFacts {
  const facts = known.get(file) ?? readSource(file, readFileSync(file, 'utf8'))
  known.set(file, facts)
  return facts
}

/** Reads from a TypeScript source the facts that the architecture rules check. Throws when it does not parse. */
export function readSource(path: string, code: string): SourceFacts {
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  const imports: Import[] = []
  const computedImports: Fact[] = []
  const globals: Fact[] = []
  const texts: Fact[] = []
  const lineOf = lineCounter(code)

  for (const node of nodesIn(program)) {
    if (importingNodes.has(node.type) && isNode(node['source'])) {
      const specifier = node['source']['value']
      if (typeof specifier === 'string') {
        const isTypeOnly = (node['importKind'] ?? node['exportKind']) === 'type'
        imports.push({ what: specifier, line: lineOf(node), isTypeOnly })
      } else computedImports.push({ what: 'import()', line: lineOf(node) })
    }
    const text = textOf(node)
    if (text !== undefined) texts.push({ what: text, line: lineOf(node) })
    const used = globalUse(node)
    if (used !== undefined) globals.push({ what: used, line: lineOf(node) })
  }
  return { imports, computedImports, globals, texts, lineCount: code.trimEnd().split('\n').length }
}

function textOf(node: SyntaxNode): string | undefined {
  const { type, value } = node
  if (type === 'Literal' && typeof value === 'string') return value
  const raw = type === 'TemplateElement' && Object(value)['cooked']
  return typeof raw === 'string' ? raw : undefined
}

/** Of nodes in the order of their starts, as `nodesIn` gives them. */
function lineCounter(code: string): (node: SyntaxNode) => number {
  let line = 1
  let next = code.indexOf('\n')
  return ({ start }) => {
    while (next >= 0 && next < start) {
      line += 1
      next = code.indexOf('\n', next + 1)
    }
    return line
  }
}

/** `Date.now` for `Date.now()` and `Date['now']`, `new Date` for a call without arguments. */
function globalUse(node: SyntaxNode): string | undefined {
  if (node.type === 'NewExpression' && nameOf(node['callee']) === 'Date') {
    return Array.isArray(node['arguments']) && node['arguments'].length === 0
      ? 'new Date'
      : undefined
  }
  if (node.type !== 'MemberExpression') return undefined
  const object = nameOf(node['object'])
  const member = nameOf(node['property'])
  return object === undefined || member === undefined ? undefined : `${object}.${member}`
}

function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined
  const name = value.type === 'Identifier' ? value['name'] : value['value']
  return typeof name === 'string' ? name : undefined
}
