/** A node of the syntax tree that the parser of Vite returns (ESTree with TypeScript). */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Every node below a value, outer nodes before inner ones. A stack, since generators within each other took most of the time. */
export function* nodesIn(value: unknown): Generator<SyntaxNode> {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    if (isNode(next)) yield next
    const members = Object.values(next)
    for (let at = members.length - 1; at >= 0; at--) left.push(members[at])
  }
}
