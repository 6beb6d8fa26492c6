import type { ServerResponse } from 'node:http'
import type { AnswerHead } from '../answer.ts'

/**
 * A stock server replaces the functions of the response to hold the answer back while it settles. Then what the handler gives to
 * `writeHead` is in no member of the response: this returns the head with it.
 */
export function followHead(response: ServerResponse): () => AnswerHead {
  let given: readonly [status: number, ...rest: unknown[]] | undefined
  let current = response.writeHead
  Object.defineProperty(response, 'writeHead', {
    configurable: true,
    enumerable: true,
    get: () => current,
    set: (replaced: (...args: readonly unknown[]) => ServerResponse) => {
      current = (...args: readonly [number, ...unknown[]]) => {
        given = args
        return replaced.call(response, ...args)
      }
    },
  })
  return () => {
    const { headers, status, ...sent } = sentHead(response)
    if (!given) return headOf({ headers, status, ...sent })
    const [givenStatus, ...rest] = given
    const more = givenHeaders(rest).map(([name, value]) => [name.toLowerCase(), value] as const)
    const all = new Map([...headers, ...more])
    return headOf({ ...sent, status: givenStatus, headers: all })
  }
}

/** The headers as the response has them: numbers and lists included. */
interface SentHead {
  readonly status: number
  readonly message: string
  readonly headers: ReadonlyMap<string, number | string | string[]>
}

export const sentHead = (response: ServerResponse): SentHead => ({
  status: response.statusCode,
  message: response.statusMessage,
  headers: new Map(
    Object.entries(response.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  ),
})

export const headOf = ({ status, headers }: SentHead): AnswerHead => ({
  status,
  headers: [...headers].flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as const),
  ),
})

export function restore(response: ServerResponse, { status, message, headers }: SentHead): void {
  response.statusCode = status
  response.statusMessage = message
  for (const name of response.getHeaderNames()) {
    if (!headers.has(name)) response.removeHeader(name)
  }
  for (const [name, value] of headers) response.setHeader(name, value)
}

/** What `writeHead` of Node does before it sends. */
export function setHead(response: ServerResponse, status: number, rest: readonly unknown[]): void {
  response.statusCode = status
  const [message] = rest
  if (typeof message === 'string') response.statusMessage = message
  for (const [name, value] of givenHeaders(rest)) response.setHeader(name, value)
}

type GivenHeader = readonly [name: string, value: number | string | string[]]

/** Those of `writeHead`: an object, a list of pairs, or names and values in turn. */
function givenHeaders([first, second]: readonly unknown[]): readonly GivenHeader[] {
  const headers = typeof first === 'string' ? second : first
  if (typeof headers !== 'object' || headers === null) return []
  return [...pairsOf(headers)].flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value as GivenHeader[1]] as const],
  )
}

function pairsOf(headers: object): Iterable<readonly [string, unknown]> {
  if (!Array.isArray(headers)) return Object.entries(headers)
  if (Array.isArray(headers[0])) return headers
  return headers.flatMap((name, at) =>
    at % 2 === 0 ? [[String(name), headers[at + 1]] as const] : [],
  )
}
