import type { ListingContent } from '../listing.ts'

/** How a resource is asked for its price. */
export interface OriginRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Names the caller, so that a seller can tell checks from customers. */
const USER_AGENT = 'svc-origin-check'
/** A value for a parameter of the path without an example: most resources accept it. */
const ANY_VALUE = '1'
const MAX_EXAMPLE_LENGTH = 2_048

const bodyMethods = ['POST', 'PUT', 'PATCH']

/**
 * The request of a customer who has not paid yet: the declared method, with the declared examples of path, query and
 * body, since some resources check these before they ask for a payment. It is harmless, since a paid resource does
 * nothing before it is paid, and since everyone can send it. Headers that the seller declares are left out: they could
 * change where the request leads.
 */
export function originRequest({
  resource,
  method = 'GET',
  bazaar,
}: Pick<ListingContent, 'resource' | 'method' | 'bazaar'>): OriginRequest {
  const input = objectOf(bazaar.info['input'])
  const url = new URL(
    bazaar.routeTemplate === undefined ? resource : filled(resource, objectOf(input['pathParams'])),
  )
  const query = queryOf(objectOf(input['queryParams']))
  if (query.length <= MAX_EXAMPLE_LENGTH) url.search = query
  const headers = { accept: 'application/json, */*', 'user-agent': USER_AGENT }
  if (!bodyMethods.includes(method)) return { url, method, headers }
  return { url, method, ...bodyOf(input, headers) }
}

/** Fills `/weather/:city`. A `.` or `..` would change the path. */
function filled(resource: string, examples: Readonly<Record<string, unknown>>): string {
  const { origin } = new URL(resource)
  const path = resource.slice(origin.length).replaceAll(/:([a-zA-Z0-9_]+)/g, (_, name: string) => {
    const example = textOf(examples[name])
    const isUsable = example && !/^\.{1,2}$/.test(example) && example.length <= MAX_EXAMPLE_LENGTH
    return encodeURIComponent(isUsable ? wellFormed(example) : ANY_VALUE)
  })
  return origin + path
}

function queryOf(examples: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(examples)) {
    const text = textOf(value)
    if (text !== undefined) query.append(wellFormed(name), wellFormed(text))
  }
  return query.toString()
}

function bodyOf(
  { bodyType, body }: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Pick<OriginRequest, 'headers' | 'body'> {
  if (bodyType === 'text') {
    const text = typeof body === 'string' && body.length <= MAX_EXAMPLE_LENGTH ? body : ''
    return { headers: { ...headers, 'content-type': 'text/plain' }, body: text }
  }
  if (bodyType === 'form-data') {
    const query = queryOf(objectOf(body))
    return {
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: query.length <= MAX_EXAMPLE_LENGTH ? query : '',
    }
  }
  const text = JSON.stringify(objectOf(body))
  return {
    headers: { ...headers, 'content-type': 'application/json' },
    body: text.length <= MAX_EXAMPLE_LENGTH ? text : '{}',
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined

/** Half of a surrogate pair has no encoding. */
const wellFormed = (text: string): string => text.toWellFormed()
