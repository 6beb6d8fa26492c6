import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderToString } from 'preact-render-to-string'
import { Fault } from '../../../platform/core/errors/faults.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { clientAddress } from '../../../platform/http/rate-limit/client-address.ts'
import { whenOver } from '../../../platform/http/server/when-over.ts'
import type { PaymentRecord } from '../../records.ts'
import { paymentRow } from '../components/tables/payments-table.ts'
import type { PageDeps } from '../deps.ts'
import { pagePaths } from '../links.ts'
import { PageRefusal } from '../page.ts'
import { presentParameters } from '../serving/present-parameters.ts'
import { securityHeaders } from '../serving/security-headers.ts'
import { showsNetworkOf } from '../serving/shows-network.ts'
import { readFilters } from '../views/feed/filters.ts'
import type { LiveUpdates } from './live-updates.ts'
import { readMarks } from './marks.ts'

export interface LiveRouteOptions extends PageDeps {
  readonly live: LiveUpdates
  readonly trustedProxyHops: number
}

const headers = {
  ...securityHeaders,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy that collects an answer before it passes it on would hold the events back.
  'x-accel-buffering': 'no',
} as const

/** A browser that reads this slowly is disconnected; it comes back with its last mark. */
const MOST_UNREAD_BYTES = 1_048_576
const RETRY_SECONDS = 30

/**
 * `GET /ui/live?FILTERS`: server-sent events with the rows of new payments. `Last-Event-ID`, or at the first connection the
 * parameter `after`, says up to where the browser has them.
 */
export function exposeLive(app: FastifyInstance, options: LiveRouteOptions): void {
  const events = new PaymentEvents(options.clock)
  app.get(pagePaths.live, (request, reply) => answer(request, reply, { ...options, events }))
}

interface AnswerOptions extends LiveRouteOptions {
  readonly events: PaymentEvents
}

function answer(request: FastifyRequest, reply: FastifyReply, options: AnswerOptions) {
  const { live, networks, events, trustedProxyHops } = options
  const query = presentParameters(request.query)
  const filters = filtersOf(query)
  const stream = new PassThrough()
  const showsNetwork = showsNetworkOf(networks, filters)
  const last = request.headers['last-event-id'] ?? query['after']
  const disconnect = live.connect({
    filters,
    after: last === undefined ? undefined : readMarks(String(last)),
    address: clientAddress(request.raw, trustedProxyHops),
    send: (payments, id) => {
      if (unreadBytes(stream) > MOST_UNREAD_BYTES) stream.destroy()
      else if (payments.length === 0) stream.write(eventText('mark', id, ''))
      else stream.write(events.of(payments, id, showsNetwork))
    },
    sendStale: (id) => stream.write(eventText('stale', id, '')),
    end: () => stream.end(),
  })
  if (disconnect === undefined) {
    reply.header('retry-after', RETRY_SECONDS)
    throw new Fault('service_unavailable', { reason: 'too many pages are updated live; try later' })
  }
  stream.on('close', disconnect)
  whenOver(request.raw, reply.raw, () => stream.destroy())
  // The comment makes proxies pass on the headers at once.
  stream.write(': connected\n\n')
  return reply.headers(headers).send(stream)
}

/** Bytes that the client has not read: a full stream keeps everything after the first bytes on its writable side. */
const unreadBytes = (stream: PassThrough): number => stream.readableLength + stream.writableLength

function filtersOf(query: Readonly<Record<string, string>>) {
  try {
    return readFilters(query)
  } catch (error) {
    if (!(error instanceof PageRefusal)) throw error
    throw new Fault('explorer_invalid_query', { reason: error.message })
  }
}

/** JSON has no line break, which would end the data. */
const eventText = (event: string, id: string, data: string): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** Renders each row once, and each event once, however many browsers get it: as bytes, which their streams share. */
class PaymentEvents {
  readonly #clock: Clock
  readonly #rows = new WeakMap<PaymentRecord, Map<boolean, string>>()
  readonly #events = new WeakMap<readonly PaymentRecord[], Map<boolean, Buffer>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  of(payments: readonly PaymentRecord[], id: string, showsNetwork: boolean): Buffer {
    return computedOnce(this.#events, payments, showsNetwork, () => {
      // Newest first, as the table has them.
      const rows = payments.toReversed().map((payment) => this.#rowOf(payment, showsNetwork))
      return Buffer.from(eventText('payments', id, rows.join('')))
    })
  }

  #rowOf(payment: PaymentRecord, showsNetwork: boolean): string {
    return computedOnce(this.#rows, payment, showsNetwork, () =>
      renderToString(paymentRow(payment, this.#clock.now(), showsNetwork)),
    )
  }
}

function computedOnce<Key extends object, T>(
  kept: WeakMap<Key, Map<boolean, T>>,
  key: Key,
  variant: boolean,
  compute: () => T,
): T {
  const variants = kept.get(key) ?? new Map<boolean, T>()
  kept.set(key, variants)
  const value = variants.get(variant) ?? compute()
  variants.set(variant, value)
  return value
}
