import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import type { FaultCode } from '../../core/errors/faults.ts'
import type { NamedSchema, RefusalFormat } from '../refusals/refusal.ts'
import { compressAnswers, servePreflight } from './public-read.ts'
import type { Parameters } from './query.ts'

/** The properties of a route that a server needs. */
export interface ServedRoute {
  readonly method: 'get' | 'post'
  /** `:name` stands for one segment. */
  readonly path: string
  /** The body of every refusal on this path, its 405 included. @default `errorRefusal` */
  readonly refusal?: RefusalFormat
  /** Probes and scrapers are not rate-limited, and are answered while the server drains. */
  readonly isProbe?: boolean
  /** Pages of every origin may read the answer, and a long one is compressed: see `public-read.ts`. */
  readonly isPublicRead?: boolean
}

/** A route of the public port. `serveRoute` registers it, and the OpenAPI document describes it. */
export interface Route extends ServedRoute {
  /** The document's `operationId`. */
  readonly id: string
  readonly tag: 'Facilitator' | 'Catalog' | 'Explorer' | 'Operations'
  readonly summary: string
  /** The JSON body; absent: the route takes none. */
  readonly request?: NamedSchema
  /** The parameters of the path, by their names in it. */
  readonly pathParameters?: Parameters
  /** The parameters of the query; the handler reads them with `readQuery`. */
  readonly query?: Parameters
  /** Faults of this route beside those that its other members imply: see `faultsOf`. */
  readonly faults?: readonly FaultCode[]
  /** `optional`: only for the networks that are configured to need a key; absent: keys are not read. */
  readonly apiKey?: 'required' | 'optional'
  /** By HTTP status. Refusals are not listed here: see `faultsOf`. */
  readonly answers: Readonly<Record<number, RouteAnswer>>
}

export interface RouteAnswer {
  readonly description: string
  /** JSON of this schema, any JSON object, plain text, or nothing. */
  readonly body: NamedSchema | 'object' | 'text' | 'none'
  /** Another form of the answer, which the caller can ask for. */
  readonly alsoAs?: 'text/html' | 'text/csv'
  /** With an `ETag`, so that the same answer need not be sent again. */
  readonly hasTag?: boolean
  /** Some of these answers say in `Retry-After` when to send the request again. */
  readonly mayNameRetryAfter?: boolean
  /** Some of these answers say in `EXTENSION-RESPONSES` what the catalog makes of the payment. */
  readonly mayNameExtensions?: boolean
}

/** Registers a route with the server; the handler checks API keys and parses the body. */
export function serveRoute(
  app: FastifyInstance,
  { method, path, refusal, isProbe = false, isPublicRead = false }: ServedRoute,
  handler: RouteHandlerMethod,
): void {
  const config = { isProbe, isPublicRead, ...(refusal && { refusal }) }
  app.route({
    method: method.toUpperCase(),
    url: path,
    config,
    handler,
    ...(isPublicRead && { onSend: compressAnswers() }),
  })
  if (isPublicRead) servePreflight(app, path, { config })
}

/** The faults that a route can answer with. */
export function faultsOf(route: Route): readonly FaultCode[] {
  const { isProbe, apiKey, request, faults = [], refusal } = route
  const codes: readonly FaultCode[] = [
    'bad_request',
    'internal_error',
    ...(isProbe ? [] : (['rate_limited', 'service_unavailable'] as const)),
    ...(apiKey ? (['unauthorized'] as const) : []),
    ...(request ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...faults,
  ]
  return codes.map((code) => refusal?.codes?.[code] ?? code)
}
