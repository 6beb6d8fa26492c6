import type { CatalogListing } from '../../../../../buying/client/catalog-types.ts'
import { asciiJson } from '../../../../../platform/core/text/ascii-json.ts'
import { cleanBlock } from '../../../../../platform/core/text/hostile-text.ts'
import { inputOf } from '../schema/declared.ts'
import { isObject } from '../schema/json.ts'

/** An HTTP call with the values of the declared example. */
export interface ExampleCall {
  readonly method: string
  /** ASCII: what is not, is percent-encoded. */
  readonly url: string
  readonly body?: { readonly text: string; readonly type: string }
  /** Parameters of the path for which the declaration has no example: they stay in `url` as they are. */
  readonly open: readonly string[]
}

/** The call of a listing; undefined for one that is not called over HTTP. */
export function exampleCall({
  resource,
  svc,
  extensions,
}: CatalogListing): ExampleCall | undefined {
  const input = inputOf(extensions.bazaar)
  const { pathParams, queryParams, bodyType, body } = input
  const url = URL.parse(resource)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const open: string[] = []
  url.pathname = url.pathname.replace(/\/:(?<name>[^/]+)/g, (whole, name: string) => {
    const value = isObject(pathParams) ? scalar(pathParams[name]) : undefined
    if (value !== undefined) return `/${encodeURIComponent(value)}`
    open.push(name)
    return whole
  })
  for (const [name, value] of Object.entries(isObject(queryParams) ? queryParams : {})) {
    const values = Array.isArray(value) ? value : [value]
    for (const each of values) url.searchParams.append(name, scalar(each) ?? asciiJson(each))
  }
  const sent = bodyOf(body, bodyType)
  return { method: svc.method ?? 'GET', url: url.href, open, ...(sent && { body: sent }) }
}

function bodyOf(body: unknown, type: unknown): ExampleCall['body'] {
  if (body === undefined || type === 'form-data') return undefined
  return type === 'text'
    ? { text: typeof body === 'string' ? cleanBlock(body) : asciiJson(body), type: 'text/plain' }
    : { text: asciiJson(body), type: 'application/json' }
}

const scalar = (value: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
