import { h, type VNode } from 'preact'
import type { CatalogItem } from '../../../../buying/client/catalog-types.ts'
import { cleanLine, cutTo } from '../../../../platform/core/text/hostile-text.ts'
import { visibleText } from '../../format/visible-text.ts'

/** The longest resource. */
const MAX_RESOURCE = 2_048

/** The name that a seller gave a listing: of a tool its own name, else that of the service, else the path. */
export function nameOf({ svc, serviceName, resource }: CatalogItem): string {
  const given = [svc.toolName, serviceName].map((name) => name && visibleText(name)).find(Boolean)
  return given ?? (pathOf(shownResource(resource)) || shownResource(resource))
}

const pathOf = (resource: string): string =>
  visibleText(resource.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, ''))

/** All of a resource's URL, which may have parameters such as `:city`. */
export const shownResource = (resource: string): string => cutTo(MAX_RESOURCE, cleanLine(resource))

/** `GET`, or that it is a tool. */
export const kindTag = ({ type, svc }: Pick<CatalogItem, 'type' | 'svc'>): VNode =>
  h('span', { class: 'tag' }, type === 'mcp' ? 'MCP tool' : visibleText(svc.method ?? 'HTTP'))
