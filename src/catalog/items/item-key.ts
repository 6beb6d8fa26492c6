import { createHash } from 'node:crypto'
import type { ListingContent } from '../listing.ts'

/** The key that makes a resource one item of the catalog on every network: SHA-256, hex, of kind, URL, and method or tool name. */
export function itemKeyOf({
  kind,
  resource,
  method,
  toolName,
}: Pick<ListingContent, 'kind' | 'resource' | 'method' | 'toolName'>): string {
  const identity = JSON.stringify([kind, resource, kind === 'http' ? method : toolName])
  return createHash('sha256').update(identity).digest('hex')
}
