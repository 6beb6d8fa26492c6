import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PageDeps } from '../../deps.ts'
import { pagePaths } from '../../links.ts'
import { securityHeaders } from '../../serving/security-headers.ts'
import { readPayment } from '../payment/read-payment.ts'
import { cardSvg } from './card-svg.ts'
import { CardDrawer, NoRenderer, tagOf } from './draw-cards.ts'

/** A payment does not change; the names beside it may. */
const CACHE_CONTROL = 'public, max-age=300'
const RETRY_SECONDS = 2

/** Serves the picture of each payment for link previews. */
export function exposeCards(app: FastifyInstance, { reads }: Pick<PageDeps, 'reads'>): void {
  const drawer = new CardDrawer()
  app.get(`${pagePaths.payment}/card.png`, async (request: FastifyRequest, reply) => {
    const { hash = '' } = request.params as { hash?: string }
    reply.headers(securityHeaders)
    const payment = await readPayment(reads, hash)
    if (payment === undefined) return reply.header('cache-control', 'no-store').code(404).send()
    const svg = cardSvg(payment)
    const tag = `"${tagOf(svg)}"`
    reply.headers({ etag: tag, 'cache-control': CACHE_CONTROL })
    if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send()
    const drawn = drawer.draw(svg)
    if (drawn === undefined) {
      reply.headers({ 'retry-after': RETRY_SECONDS, 'cache-control': 'no-store' })
      return reply.code(503).send()
    }
    try {
      return reply.type('image/png').send(await drawn)
    } catch (error) {
      if (!(error instanceof NoRenderer)) throw error
      reply.removeHeader('etag')
      return reply
        .header('cache-control', 'no-store')
        .code(501)
        .type('text/plain')
        .send(error.message)
    }
  })
}
