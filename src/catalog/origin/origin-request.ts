import type { ListingContent } from '../listing.ts'

/** How a resource is asked for its price. */
export interface OriginRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** How sentences name what was asked: never by the path that a payment was for. */
  readonly named: string
  /** Whether it has that path. */
  readonly hasPaidPath: boolean
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
 * change where the request leads. A path without an example for each of its parameters is the one that a payment was for, if
 * that is known: many servers look for what they sell before they ask for a payment.
 */
export function originRequest(
  { resource, method = 'GET', bazaar }: Pick<ListingContent, 'resource' | 'method' | 'bazaar'>,
  paidPath?: string | null,
): OriginRequest {
  const input = objectOf(bazaar.info['input'])
  const examples = objectOf(input['pathParams'])
  const names = bazaar.routeTemplate === undefined ? [] : parametersOf(resource)
  const isGuess = names.some((name) => exampleOf(examples[name]) === undefined)
  const hasPaidPath = method === 'GET' && typeof paidPath === 'string' && isGuess
  const filledIn = names.length === 0 ? resource : filled(resource, examples)
  const url = new URL(hasPaidPath ? new URL(resource).origin + paidPath : filledIn)
  const named = hasPaidPath ? resource : url.origin + url.pathname
  const query = queryOf(objectOf(input['queryParams']))
  if (query.length <= MAX_EXAMPLE_LENGTH) url.search = query
  const headers = { accept: 'application/json, */*', 'user-agent': USER_AGENT }
  const request = { url, method, headers, named, hasPaidPath }
  return bodyMethods.includes(method) ? { ...request, ...bodyOf(input, headers) } : request
}

const PARAMETER = /:([a-zA-Z0-9_]+)/g

/** The part of a URL that a template may stand in: a port looks like a parameter. */
const pathOf = (resource: string): string => resource.slice(new URL(resource).origin.length)

const parametersOf = (resource: string): readonly string[] =>
  [...pathOf(resource).matchAll(PARAMETER)].flatMap(([, name]) => name ?? [])

/** Fills `/weather/:city`. */
const filled = (resource: string, examples: Readonly<Record<string, unknown>>): string =>
  new URL(resource).origin +
  pathOf(resource).replaceAll(PARAMETER, (_, name: string) =>
    encodeURIComponent(exampleOf(examples[name]) ?? ANY_VALUE),
  )

/** Undefined for one that cannot be used: a `.` or `..` would change the path. */
function exampleOf(declared: unknown): string | undefined {
  const text = textOf(declared)
  const isUsable = text && !/^\.{1,2}$/.test(text) && text.length <= MAX_EXAMPLE_LENGTH
  return isUsable ? wellFormed(text) : undefined
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
