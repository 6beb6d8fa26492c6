import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiKeySubject } from '../../platform/core/api-key-entry.ts'
import { publicPaths } from '../../platform/core/http-paths.ts'
import type { KeyGate } from '../../platform/http/access/key-gate.ts'
import { clientAddress } from '../../platform/http/rate-limit/client-address.ts'
import { settleRefusal, verifyRefusal } from '../../platform/http/refusals/payment-refusal.ts'
import type { NamedSchema } from '../../platform/http/refusals/refusal.ts'
import { refuse } from '../../platform/http/refusals/refuse.ts'
import { type Route, serveRoute } from '../../platform/http/server/route.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { isServiceRefusal } from '../causes/service-faults.ts'
import { firstFinding } from '../checks/check.ts'
import { protocolChecks } from '../checks/protocol.ts'
import { notSettled, subjectOf } from '../engine/answers/settle-answer.ts'
import { notVerified } from '../engine/answers/verify-answer.ts'
import { codesWithRetryAfter } from '../engine/limits/limits.ts'
import type { ServedNetwork } from '../engine/network/served-network.ts'
import type { Settler } from '../engine/settle.ts'
import { verify } from '../engine/verify.ts'
import {
  settleResponseSchema,
  supportedResponseSchema,
  verifyResponseSchema,
} from '../protocol/answer-schemas.ts'
import { BAZAAR } from '../protocol/declaration.ts'
import { otherVersion } from '../protocol/other-version.ts'
import { PAYMENT_IDENTIFIER } from '../protocol/payment-identifier.ts'
import {
  type PaymentRequest,
  paymentRequestSchema,
  readPaymentRequest,
  type SettleResponse,
  type VerifyResponse,
} from '../protocol/protocol.ts'
import { identifierConflict, statusOfReason } from '../protocol/reasons.ts'
import type { Payment } from '../schemes/scheme.ts'
import type { SettlementKey } from '../store/settlements/settlement.ts'
import { type CountedRequest, callerOf, countSettle, countVerify } from '../usage/count-requests.ts'
import type { SettleResult } from '../usage/outcome.ts'
import { exposeUsage, type UsageDeps } from '../usage/route.ts'
import { exposeStatement, type StatementDeps } from '../usage/statement/route.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'
import {
  type CatalogHeaderDeps,
  EXTENSION_RESPONSES,
  previewHeader,
  settledHeader,
} from './catalog-hooks.ts'
import { chooseNetwork } from './choose-network.ts'
import { instrumentPayment, type PaymentTelemetry, paymentOutcome } from './instrument-payment.ts'
import { proofsRoute, type signerProofs } from './signer-proofs.ts'
import { supported } from './supported.ts'

const paymentRequest: NamedSchema = { name: 'PaymentRequest', schema: paymentRequestSchema }

const verification: NamedSchema = { name: 'Verification', schema: verifyResponseSchema }
const settlement: NamedSchema = { name: 'Settlement', schema: settleResponseSchema }

const ofAnotherPayment = `\`${identifierConflict}\`: the identifier of the payment belongs to another one; the message says what became of that`

export const supportedRoute: Route = {
  id: 'supported',
  method: 'get',
  path: publicPaths.supported,
  isPublicRead: true,
  tag: 'Facilitator',
  summary: 'The payments that are served, and the accounts that sign for them',
  answers: {
    200: {
      description: 'The served kinds of payment, and the signers',
      body: { name: 'Supported', schema: supportedResponseSchema },
    },
  },
}

export const verifyRoute: Route = {
  id: 'verify',
  method: 'post',
  path: publicPaths.verify,
  tag: 'Facilitator',
  summary: 'Checks whether a payment would settle; changes nothing',
  request: paymentRequest,
  apiKey: 'optional',
  answers: {
    200: {
      description: 'The verdict, positive or negative',
      mayNameExtensions: true,
      body: verification,
    },
    409: { description: ofAnotherPayment, body: verification },
  },
  refusal: verifyRefusal,
}

export const settleRoute: Route = {
  id: 'settle',
  method: 'post',
  path: publicPaths.settle,
  tag: 'Facilitator',
  summary: 'Settles a payment on the ledger; the same request again gets the same answer',
  request: paymentRequest,
  apiKey: 'optional',
  answers: {
    200: {
      description: `The outcome, success or failure. \`Retry-After\` comes with ${[...codesWithRetryAfter].map((code) => `\`${code}\``).join(', ')}`,
      mayNameRetryAfter: true,
      mayNameExtensions: true,
      body: settlement,
    },
    409: { description: ofAnotherPayment, body: settlement },
  },
  refusal: settleRefusal,
}

export interface FacilitatorRoutes
  extends PaymentTelemetry,
    UsageDeps,
    StatementDeps,
    CatalogHeaderDeps {
  /** The networks in the order of `/supported`. */
  readonly networks: ReadonlyMap<string, ServedNetwork>
  readonly settler: Settler
  readonly keyGate: KeyGate
  /** Proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxyHops: number
  readonly metrics: Metrics
  readonly meter: UsageMeter
  readonly proofs: ReturnType<typeof signerProofs>
}

/** The x402 version 2 facilitator interface. A verdict, positive or negative, has the HTTP status of its reason, which is almost always 200. */
export function facilitatorRoutes(app: FastifyInstance, facilitator: FacilitatorRoutes): void {
  const extensions = [...(facilitator.catalog ? [BAZAAR] : []), PAYMENT_IDENTIFIER]
  serveRoute(app, supportedRoute, () => supported(facilitator.networks.values(), extensions))
  serveRoute(app, proofsRoute, facilitator.proofs)

  serveRoute(app, verifyRoute, async (request, reply) => {
    // A malformed request is refused before it is logged or counted as a payment.
    const parsed = readPaymentRequest(request.body)
    if (!parsed.ok) {
      const other = otherVersion(request.body)
      if (!other) return refuse(request, reply, 'bad_request', parsed.problem)
      const answer = notVerified({ code: 'invalid_x402_version', message: other.message })
      countOutcome(facilitator, facilitator.metrics.verifications, other, answer)
      return answer
    }
    const payment = parsed.request
    let preview: Promise<string | undefined> | undefined
    const onSimulate = (checked: Payment) => {
      preview = previewHeader(facilitator, checked)
    }
    const instrumented = { request, payment }
    const answer = await instrumentPayment(facilitator, 'verify', instrumented, async () => {
      const answer = await verifyOnNetwork(facilitator, payment, request, onSimulate)
      countOutcome(facilitator, facilitator.metrics.verifications, subjectOf(payment), answer)
      return answer
    })
    if (answer.isValid) addHeader(reply, await preview)
    else void reply.code(statusOfReason(answer.invalidReason))
    return answer
  })

  serveRoute(app, settleRoute, async (request, reply) => {
    // A malformed request is refused before it is logged or counted as a payment.
    const parsed = readPaymentRequest(request.body)
    if (!parsed.ok) {
      const other = otherVersion(request.body)
      if (!other) return refuse(request, reply, 'bad_request', parsed.problem)
      const answer = notSettled(other, { code: 'invalid_x402_version', message: other.message })
      countOutcome(facilitator, facilitator.metrics.settlements, other, answer)
      return answer
    }
    const payment = parsed.request
    let key: SettlementKey | undefined
    const instrumented = { request, payment }
    const answer = await instrumentPayment(facilitator, 'settle', instrumented, async () => {
      const settled = await settleOnNetwork(facilitator, payment, request)
      const { response } = settled
      key = settled.key
      const retryAfter = retryAfterOf(facilitator, response)
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
      countOutcome(facilitator, facilitator.metrics.settlements, subjectOf(payment), response)
      countServiceFault(facilitator, settled)
      return response
    })
    if (answer.success && key) addHeader(reply, await settledHeader(facilitator, key, payment))
    if (!answer.success) void reply.code(statusOfReason(answer.errorReason))
    return answer
  })

  exposeUsage(app, facilitator)
  exposeStatement(app, facilitator)
}

async function verifyOnNetwork(
  facilitator: FacilitatorRoutes,
  request: PaymentRequest,
  arrival: FastifyRequest,
  onSimulate: (payment: Payment) => void,
): Promise<VerifyResponse> {
  const { networks, meter, db } = facilitator
  const chosen = chooseNetwork(networks, request)
  if (!chosen.ok) return notVerified(chosen.refusal)
  const { counted, client } = admit(facilitator, chosen.network, request, arrival)
  const { caller } = counted
  const answer = await verify({ db }, chosen.network, request, { caller, client, onSimulate })
  countVerify(meter, counted, answer)
  return answer
}

async function settleOnNetwork(
  facilitator: FacilitatorRoutes,
  request: PaymentRequest,
  arrival: FastifyRequest,
): Promise<SettleResult> {
  const { networks, settler, meter } = facilitator
  const chosen = chooseNetwork(networks, request)
  if (!chosen.ok) return { response: notSettled(subjectOf(request), chosen.refusal) }
  const { counted, client } = admit(facilitator, chosen.network, request, arrival)
  const { caller } = counted
  const settled = await settler.settle(chosen.network, request, { caller, client })
  countSettle(meter, counted, settled)
  return settled
}

function addHeader(reply: FastifyReply, value: string | undefined): void {
  if (value !== undefined) reply.header(EXTENSION_RESPONSES, value)
}

/**
 * Checks the API key, except of a request that the protocol checks refuse anyway: its caller reads that
 * reason, with or without a key. The key is identified once: a request whose key ends before its answer still counts
 * for that key. The client is the key, or the address of a request without one, as the rate limit counts.
 */
function admit(
  { keyGate, trustedProxyHops }: Pick<FacilitatorRoutes, 'keyGate' | 'trustedProxyHops'>,
  network: ServedNetwork,
  request: PaymentRequest,
  { headers, raw }: FastifyRequest,
): { readonly counted: CountedRequest; readonly client: string } {
  const { id, policy } = network
  const isRefused = firstFinding(protocolChecks, { request, policy }) !== undefined
  const digest = isRefused ? keyGate.identify(headers) : keyGate.admit(id, headers)
  const client = digest === undefined ? clientAddress(raw, trustedProxyHops) : apiKeySubject(digest)
  return { counted: { caller: callerOf(digest), network, request }, client }
}

/** Seconds until a payment that got no channel may get one. */
function retryAfterOf({ networks }: FacilitatorRoutes, answer: SettleResponse): number | undefined {
  if (answer.success || !codesWithRetryAfter.has(answer.errorReason)) return undefined
  return networks.get(answer.network)?.admission.retryAfterSeconds
}

/** Labels come from closed sets: the name of an unserved network is the caller's choice, and left out. */
function countOutcome(
  { networks }: FacilitatorRoutes,
  counter: Metrics['verifications'] | Metrics['settlements'],
  named: { readonly network: string },
  answer: VerifyResponse | SettleResponse,
): void {
  const { outcome, reason } = paymentOutcome(answer)
  const network = networks.has(named.network) ? named.network : ''
  counter.inc({ network, outcome, reason })
}

/** A settlement that reached the network is counted when it ends, which may be after its answer. */
function countServiceFault({ metrics }: FacilitatorRoutes, settled: SettleResult): void {
  const { response, isCallersFault = false } = settled
  if (response.success || response.transaction !== '' || isCallersFault) return
  const { network, errorReason: reason } = response
  if (isServiceRefusal(reason)) metrics.settlementFailures.inc({ network, reason })
}
