/** A node of the syntax tree that the parser of Vite returns (ESTree with TypeScript). */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Every node below a value, outer nodes before inner ones. */
export function* nodesIn(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) {
    for (const element of value) yield* nodesIn(element)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (isNode(value)) yield value
  for (const member of Object.values(value)) yield* nodesIn(member)
}
