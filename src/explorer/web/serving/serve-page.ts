import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isNetworkId, type NetworkId } from '../../../platform/core/caip2.ts'
import { Fault } from '../../../platform/core/errors/faults.ts'
import { StoreUnavailable } from '../../../platform/database/postgres/unavailable.ts'
import { clientAddress } from '../../../platform/http/rate-limit/client-address.ts'
import { compressAnswers } from '../../../platform/http/server/public-read.ts'
import { whenOver } from '../../../platform/http/server/when-over.ts'
import type { IngestEntry } from '../../records.ts'
import { SHARED_URLS, SharedAnswers } from '../../shared-answers.ts'
import { isKnown, type TaggedText, taggedText } from '../../tagged-text.ts'
import { type Removal, refusalPage } from '../components/refusal-page.ts'
import { Turns } from '../csv/turns.ts'
import type { PageDeps } from '../deps.ts'
import { ingestState } from '../ingest-state.ts'
import { documentOf } from '../layout.ts'
import { withQuery } from '../links.ts'
import { type Download, type Page, PageRefusal, type PageRequest, type Redirect } from '../page.ts'
import { Places } from './places.ts'
import { presentParameters } from './present-parameters.ts'
import { securityHeaders } from './security-headers.ts'

type Answer = Page | Redirect | Download

export type RenderPage = (request: PageRequest) => Answer | Promise<Answer>

/** Seconds after which a browser may try a page again that the store could not answer. */
const RETRY_SECONDS = 5

/** Each keeps a part of its table in memory, and its turn comes later the more there are. */
const DOWNLOADS = { inAll: 4, ofAddress: 2 }
/** 10,000 rows at 50 KB a second. A place is not kept for a reader that takes longer, or does not read at all. */
const MAX_DOWNLOAD_MS = 120_000

interface ServerDeps extends PageDeps {
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  /** How long a page is given again to who asks for the same URL. */
  readonly sameUrlMs: number
}

interface Document extends TaggedText {
  readonly status: number
}

type Made = Document | Redirect | Download

/** For the footer; never rejects. */
type Ingest = Promise<readonly IngestEntry[] | undefined>

/** Registers pages, each with the layout, the headers and the refusals of all. */
export class PageServer {
  readonly #app: FastifyInstance
  readonly #deps: ServerDeps
  readonly #downloads = new Places(DOWNLOADS)
  readonly #turns: Turns
  /** By URL. */
  readonly #pages: SharedAnswers
  readonly #ingest: () => Ingest

  constructor(app: FastifyInstance, deps: ServerDeps) {
    this.#app = app
    this.#deps = deps
    this.#turns = new Turns(deps.clock)
    this.#pages = new SharedAnswers(deps.clock, SHARED_URLS)
    this.#ingest = ingestState(deps.reads, deps.clock)
  }

  /** Those who ask for the same page at the same time share it. @param path a route of `pagePaths`, or a pattern */
  serve(path: string, render: RenderPage): void {
    this.#app.route({
      method: 'GET',
      url: path,
      onSend: compressAnswers(),
      handler: (request, reply) =>
        this.#answer(request, reply, (ingest) =>
          this.#pages.get(request.url, this.#deps.sameUrlMs, () =>
            this.#make(request, ingest, render),
          ),
        ),
    })
  }

  /** A file of the tables. Few are sent at the same time, and their parts are read one after the other. */
  serveDownload(path: string, render: RenderPage): void {
    this.#app.get(path, { exposeHeadRoute: false }, (request, reply) => {
      const over = this.#takePlace(request, reply)
      return this.#answer(request, reply, (ingest) =>
        this.#make(request, ingest, (asked) => this.#firstPart(over, () => render(asked))),
      )
    })
  }

  /** Reads nothing for a client that left before its turn came. */
  #firstPart(over: AbortSignal, render: () => Answer | Promise<Answer>): Promise<Answer> {
    return this.#turns.run(async () => {
      if (over.aborted) return { title: '', body: null }
      const answer = await render()
      return 'fileName' in answer
        ? { ...answer, text: inTurns(answer.text, this.#turns, over) }
        : answer
    })
  }

  /** Takes a place until the answer has been sent or was cut off; then the signal aborts. */
  #takePlace({ raw }: FastifyRequest, reply: FastifyReply): AbortSignal {
    const { clock, trustedProxyHops } = this.#deps
    const free = this.#downloads.take(clientAddress(raw, trustedProxyHops))
    if (free === undefined) {
      reply.header('retry-after', RETRY_SECONDS)
      throw new Fault('service_unavailable', {
        reason: 'too many tables are being downloaded; try later',
      })
    }
    const over = new AbortController()
    whenOver(raw, reply.raw, () => {
      free()
      over.abort()
    })
    clock.sleep(MAX_DOWNLOAD_MS, over.signal).then(
      () => raw.socket.destroy(),
      () => undefined,
    )
    return over.signal
  }

  async #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    make: (ingest: Ingest) => Promise<Made>,
  ) {
    const ingest = this.#ingest()
    const made = await make(ingest).catch((error) =>
      this.#document(
        request,
        ingest,
        refusedPage(request, error, presentParameters(request.query)),
      ),
    )
    if ('location' in made) return reply.redirect(made.location, 302)
    return 'fileName' in made ? sendDownload(reply, made) : sendDocument(request, reply, made)
  }

  /** Throws what `refusedPage` tells the reader. */
  async #make(request: FastifyRequest, ingest: Ingest, render: RenderPage): Promise<Made> {
    const answer = await render(this.#parse(request))
    if ('location' in answer || 'fileName' in answer) return answer
    return this.#document(request, ingest, answer)
  }

  #parse({ raw, params, query: given }: FastifyRequest): PageRequest {
    const { networks, clock, trustedProxyHops } = this.#deps
    const query = presentParameters(given)
    const named = query['network']
    const network = networkOf(named)
    if (named !== undefined && (network === undefined || !networks.includes(network))) {
      throw new PageRefusal(
        400,
        'Unknown network',
        `This explorer reads ${networks.join(' and ')}. Choose one of them.`,
        'network',
      )
    }
    return {
      params: params as PageRequest['params'],
      query,
      client: clientAddress(raw, trustedProxyHops),
      now: clock.now(),
      ...(network && { network }),
    }
  }

  async #document(request: FastifyRequest, ingest: Ingest, page: Page): Promise<Document> {
    const { networks, version, clock, catalog } = this.#deps
    const query = presentParameters(request.query)
    const text = documentOf(page, {
      ...{ networks, version, query, hasCatalog: catalog !== undefined },
      network: networkOf(query['network']),
      path: pathOf(request.url),
      ingest: await ingest,
      now: clock.now(),
    })
    return { ...taggedText(text), status: page.status ?? 200 }
  }
}

/** Only of a parameter that the page was asked with. The path is that of the page, not of its file. */
function removalOf(
  url: string,
  query: PageRequest['query'],
  parameter: unknown,
): Removal | undefined {
  if (typeof parameter !== 'string' || query[parameter] === undefined) return undefined
  const { [parameter]: _removed, cursor: _cursor, offset: _offset, ...kept } = query
  return { parameter, href: withQuery(pathOf(url).replace(/\.csv$/, ''), kept) }
}

const pathOf = (url: string): string => url.replace(/[?#].*$/s, '')

const networkOf = (text: string | undefined): NetworkId | undefined =>
  isNetworkId(text) ? text : undefined

function refusedPage(
  { log, id, url }: FastifyRequest,
  error: unknown,
  query: PageRequest['query'],
): Page {
  if (error instanceof PageRefusal) {
    const { status, heading, message, parameter } = error
    return refusalPage(status, heading, message, removalOf(url, query, parameter))
  }
  if (error instanceof Fault && error.status < 500) {
    const isMissing = error.status === 404
    return refusalPage(
      error.status,
      isMissing ? 'There is nothing at this address' : 'This address is not right',
      `The explorer says: ${error.message}. Search for something else above.`,
      removalOf(url, query, error.details?.['parameter']),
    )
  }
  if (error instanceof StoreUnavailable) {
    log.warn({ err: error }, 'Page could not be answered')
    return refusalPage(
      503,
      'The explorer cannot reach its database',
      'The data is safe, and payments go on. Load this page again in a few seconds.',
    )
  }
  log.error({ err: error }, 'Page failed unexpectedly')
  return refusalPage(
    500,
    'This page failed',
    `The fault is in the explorer, not in what you asked for. Its log has the details under the request id ${id}.`,
  )
}

function sendDownload(reply: FastifyReply, { fileName, contentType, text }: Download) {
  return reply
    .headers({
      ...securityHeaders,
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="${fileName}"`,
    })
    .type(contentType)
    .send(Readable.from(text))
}

/** The next part is read when the reader has taken the one before. */
async function* inTurns(text: Download['text'], turns: Turns, over: AbortSignal): Download['text'] {
  for (;;) {
    const part = await turns.run(async () => (over.aborted ? undefined : text.next()))
    if (part === undefined || part.done) return
    yield part.value
  }
}

function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { status, text, tag }: Document,
) {
  reply.headers(securityHeaders).code(status)
  if (status === 503) reply.header('retry-after', RETRY_SECONDS)
  if (status !== 200) {
    return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(text)
  }
  reply.headers({ etag: tag, 'cache-control': 'public, max-age=2, must-revalidate' })
  if (isKnown(headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(text)
}
