import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onSendHookHandler,
  RouteShorthandOptions,
} from 'fastify'
import { weightsOf } from '../access/weights.ts'

/*
 * Answers that anyone may read: pages of every origin get them, without credentials, and long ones are
 * compressed. Never the answers to payments: callers of those have a key, which does not belong in a
 * browser, and compressing them would only add to their time.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    isPublicRead?: boolean
  }
}

const METHODS = 'GET, HEAD, OPTIONS'

/** Beyond those that the Fetch standard always shows to a page. */
const EXPOSED = 'Retry-After, X-Request-Id'

/** The stock client sends `Content-Type` with GET too. Headers with a key are left out on purpose. */
const ACCEPTED = 'Content-Type, X-Request-Id'

/** A day; browsers shorten it to hours. */
const PREFLIGHT_SECONDS = 86_400

/**
 * Lets pages of every origin read the answer, whatever its status. The first header is on every answer,
 * so that one from a cache is right for pages too. Probes send no `Origin`, and are spared the second.
 */
export function allowEveryOrigin({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*')
  if (headers.origin !== undefined) reply.header('access-control-expose-headers', EXPOSED)
}

/** Answers OPTIONS, which browsers send before a request with headers that not every page may send. */
export function servePreflight(
  app: FastifyInstance,
  path: string,
  options: RouteShorthandOptions,
): void {
  app.options(path, options, (_request, reply) => {
    reply.headers({
      allow: METHODS,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': ACCEPTED,
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    })
    return reply.code(204).send()
  })
}

/** Shorter answers fit into one packet anyway. */
const MIN_LENGTH = 1_024

type Coding = 'br' | 'gzip'

const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]

/** In threads of their own: a page of the catalog takes milliseconds, in which a payment would wait. */
const encoders: Readonly<Record<Coding, (text: string) => Promise<Buffer>>> = {
  // Above this quality the time grows several times faster than the text shrinks.
  br: (text) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (text) => zip(text),
}

/**
 * An `onSend` hook for one route. It keeps the encodings of the last text, since many routes send the same text many
 * times. Where each caller asks for something else, as of the catalog, that saves nothing and costs one text.
 */
export function compressAnswers(): onSendHookHandler {
  let last:
    | { readonly text: string; readonly encoded: Partial<Record<Coding, Promise<Buffer>>> }
    | undefined
  return function compress(request: FastifyRequest, reply, payload, done) {
    if (typeof payload !== 'string' || payload.length < MIN_LENGTH) return done(null, payload)
    addVary(reply, 'Accept-Encoding')
    const coding = codingOf(request.headers['accept-encoding'])
    if (coding === undefined) return done(null, payload)
    if (last?.text !== payload) last = { text: payload, encoded: {} }
    last.encoded[coding] ??= encoders[coding](payload)
    last.encoded[coding].then(
      (encoded) => {
        reply.header('content-encoding', coding)
        done(null, encoded)
      },
      (error) => done(error),
    )
  }
}

/** The accepted coding with the largest weight; brotli where both weigh the same. */
function codingOf(header: string | string[] | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const weights = weightsOf(String(header))
  const [br = 0, gzip = 0] = [weights.get('br'), weights.get('gzip')]
  if (br === 0 && gzip === 0) return undefined
  return br >= gzip ? 'br' : 'gzip'
}

function addVary(reply: FastifyReply, name: string): void {
  const present = reply.getHeader('vary')
  reply.header('vary', present === undefined ? name : `${present}, ${name}`)
}
