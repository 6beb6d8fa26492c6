import { parseSync } from 'vite'
import { isNode, nodesIn, type SyntaxNode } from './syntax.ts'

/** A piece of a source file, and its line (from 1). */
interface Fact {
  readonly what: string
  readonly line: number
}

export interface SourceFacts {
  /** Specifiers of every import: static, dynamic, of types, and re-exports. */
  readonly imports: readonly Fact[]
  /** Dynamic imports whose specifier is computed, which no rule can check. */
  readonly computedImports: readonly Fact[]
  /** Members of globals by dotted name, such as `Date.now`; `new Date()` without arguments too. */
  readonly globals: readonly Fact[]
  readonly lineCount: number
}

const importingNodes: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
])

/** Reads from a TypeScript source the facts that the architecture rules check. Throws when it does not parse. */
export function readSource(path: string, code: string): SourceFacts {
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  const imports: Fact[] = []
  const computedImports: Fact[] = []
  const globals: Fact[] = []
  // Only of a node that is a fact: to count lines for each node takes time in the square of the length.
  const lineOf = (node: SyntaxNode) => code.slice(0, node.start).split('\n').length

  for (const node of nodesIn(program)) {
    if (importingNodes.has(node.type) && isNode(node['source'])) {
      const specifier = node['source']['value']
      if (typeof specifier === 'string') {
        imports.push({ what: specifier, line: lineOf(node) })
      } else computedImports.push({ what: 'import()', line: lineOf(node) })
    }
    const used = globalUse(node)
    if (used !== undefined) globals.push({ what: used, line: lineOf(node) })
  }
  return { imports, computedImports, globals, lineCount: code.trimEnd().split('\n').length }
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
