import type { Paged, RequestOptions } from './options.ts'
import type { Send } from './send.ts'

interface Read {
  readonly answer: object
  readonly query?: object
  readonly body?: object
}

/** The reads of an API, by path, as the generated modules declare them. */
type Reads<All> = { readonly [Path in keyof All]: Read }

type QueryOf<R> = R extends { readonly query: infer Query } ? Query : Record<never, never>

interface Given<R> {
  /** The segments of the path, by their names in it. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<R> | undefined
  readonly body?: R extends { readonly body: infer Body } ? Body : undefined
}

export function reader<All extends Reads<All>>(send: Send) {
  type Path = keyof All & string

  const read = async <P extends Path>(path: P, given: Given<All[P]>, options?: RequestOptions) => {
    const { path: segments = {}, query = {}, body } = given
    const call = { path: filled(path, segments) + queryOf(query), body }
    // The generated types are the service's own; nothing but its answers could contradict them.
    return (await send(call, options)) as All[P]['answer']
  }

  function paged<P extends Path>(path: P): Paged<QueryOf<All[P]>, All[P]['answer']> {
    type Query = QueryOf<All[P]>
    const one = (query?: Query, options?: RequestOptions) => read(path, { query }, options)
    async function* pages(query?: Query, options?: RequestOptions) {
      let next: Query | undefined = query ?? ({} as Query)
      while (next !== undefined) {
        const page: All[P]['answer'] = await one(next, options)
        yield page
        const more = following(page)
        next = more && { ...next, ...more }
      }
    }
    return Object.assign(one, { pages }) as Paged<Query, All[P]['answer']>
  }

  return { read, paged }
}

const filled = (path: string, segments: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(segments[name] ?? ''))

function queryOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  const texts = given.map(([name, value]) => [name, String(value)] as const)
  return `?${new URLSearchParams(Object.fromEntries(texts))}`
}

/** The parameters of the page after a page, undefined after the last one. */
function following(page: object): object | undefined {
  const {
    nextCursor,
    items,
    pagination = {},
  } = page as {
    readonly nextCursor?: string
    readonly items?: readonly unknown[]
    readonly pagination?: {
      readonly cursor?: string | null
      readonly offset?: number
      readonly total?: number
      readonly asOf?: string
    }
  }
  const cursor = nextCursor ?? pagination.cursor
  if (typeof cursor === 'string') return { cursor }
  const { offset, total = 0, asOf } = pagination
  if (offset === undefined || !items?.length) return undefined
  const end = offset + items.length
  return end < total ? { offset: end, asOf } : undefined
}
