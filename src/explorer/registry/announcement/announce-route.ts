import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { Fault } from '../../../platform/core/errors/faults.ts'
import { explorerPaths } from '../../../platform/core/http-paths.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { rateWindows } from '../../../platform/database/rate-windows.ts'
import { clientAddress } from '../../../platform/http/rate-limit/client-address.ts'
import { RateLimiter } from '../../../platform/http/rate-limit/rate-limiter.ts'
import { type Route, serveRoute } from '../../../platform/http/server/route.ts'
import { explorerRefusal } from '../../api/refusal.ts'
import { type AnnounceDeps, announce, announcedSchema, invalidUrl } from './announce.ts'

const requestSchema = z.strictObject({
  baseUrl: z
    .string()
    .min(1)
    .describe('Of the facilitator: `/supported` below it answers. At most 300 characters.'),
})

export const announceRoute: Route = {
  id: 'announceFacilitator',
  method: 'post',
  path: explorerPaths.announce,
  tag: 'Explorer',
  summary: 'Adds a facilitator to the registry, after one look at its `/supported`',
  refusal: explorerRefusal,
  isPublicRead: true,
  request: { name: 'Announcement', schema: requestSchema },
  answers: {
    200: {
      description: 'The facilitator as the registry has it now, also when it had it before',
      body: { name: 'AnnouncedFacilitator', schema: announcedSchema },
    },
  },
  faults: ['explorer_announce_invalid_url', 'explorer_announce_unreachable'],
}

/** Each announcement makes this service call a URL that a stranger chose. */
const PER_CLIENT_A_MINUTE = 10
const IN_TOTAL_A_MINUTE = 120

interface AnnounceRouteDeps extends AnnounceDeps {
  readonly clock: Clock
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
}

/**
 * `POST /announce`. Answers 200, not 202: when the answer is sent, `/supported` has been read and the facilitator and its
 * signers are written, so nothing is left to wait for but the attribution of past payments. All replicas count the
 * requests of a minute together.
 */
export function exposeAnnounce(app: FastifyInstance, deps: AnnounceRouteDeps): void {
  const { db, clock, trustedProxyHops } = deps
  const windows = rateWindows(db)
  const byClient = new RateLimiter({ perMinute: PER_CLIENT_A_MINUTE, clock, windows })
  const inTotal = new RateLimiter({ perMinute: IN_TOTAL_A_MINUTE, clock, windows })
  serveRoute(app, announceRoute, async (request, reply) => {
    const baseUrl = baseUrlIn(request.body)
    const client = clientAddress(request.raw, trustedProxyHops)
    // One after the other: who exceeds the first limit must not use up what is left for all.
    await admit(reply, byClient, `announce:${client}`)
    await admit(reply, inTotal, 'announce:all')
    reply.header('cache-control', 'no-store')
    return announce(deps, baseUrl)
  })
}

function baseUrlIn(body: unknown): string {
  const parsed = requestSchema.safeParse(body)
  if (parsed.success) return parsed.data.baseUrl
  throw invalidUrl('The body must be {"baseUrl": "https://..."}.')
}

async function admit(reply: FastifyReply, limiter: RateLimiter, client: string): Promise<void> {
  const decision = await limiter.take(client)
  if ('mayPass' in decision) return
  reply.header('retry-after', decision.retryAfterSeconds)
  throw new Fault('rate_limited', { reason: 'too many announcements in this minute' })
}
