import type { FastifyInstance, FastifyRequest } from 'fastify'
import { publicPaths } from '../core/http-paths.ts'
import type { KeyGate } from '../http/key-gate.ts'
import { settleRefusal, verifyRefusal } from '../http/payment-refusal.ts'
import { refuse } from '../http/refuse.ts'
import { type NamedSchema, type Route, serveRoute } from '../http/route.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import {
  settleResponseSchema,
  supportedResponseSchema,
  verifyResponseSchema,
} from '../x402/answer-schemas.ts'
import { firstFinding } from '../x402/checks/check.ts'
import { protocolChecks } from '../x402/checks/protocol.ts'
import {
  type PaymentRequest,
  paymentRequestSchema,
  readPaymentRequest,
  type SettleResponse,
  type VerifyResponse,
} from '../x402/protocol.ts'
import { answering } from './answering.ts'
import { notSettled, notVerified, subjectOf } from './answers.ts'
import { chooseNetwork } from './choose-network.ts'
import { observePayment, type PaymentObserver, verdictOf } from './observe-payment.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Settler } from './settle.ts'
import { supported } from './supported.ts'
import { callerOf } from './usage/caller.ts'
import { countSettle, countVerify, type Reached } from './usage/count-requests.ts'
import { exposeUsage, type UsageDeps } from './usage/route.ts'
import type { UsageMeter } from './usage/usage-meter.ts'
import { verify } from './verify.ts'

const paymentRequest: NamedSchema = { name: 'PaymentRequest', schema: paymentRequestSchema }

export const supportedRoute: Route = {
  id: 'supported',
  method: 'get',
  path: publicPaths.supported,
  tag: 'Facilitator',
  summary: 'Which payments are served, and which accounts sign for them',
  answers: {
    200: {
      description: 'What is served',
      body: { name: 'Supported', schema: supportedResponseSchema },
    },
  },
}

export const verifyRoute: Route = {
  id: 'verify',
  method: 'post',
  path: publicPaths.verify,
  tag: 'Facilitator',
  summary: 'Says whether a payment would settle; changes nothing',
  request: paymentRequest,
  apiKey: 'optional',
  answers: {
    200: {
      description: 'The verdict, good or bad',
      body: { name: 'Verification', schema: verifyResponseSchema },
    },
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
      description: 'The outcome, good or bad',
      body: { name: 'Settlement', schema: settleResponseSchema },
    },
  },
  refusal: settleRefusal,
}

export interface FacilitatorRoutes extends PaymentObserver, UsageDeps {
  /** In the order they are offered. */
  readonly networks: ReadonlyMap<string, ServedNetwork>
  readonly settler: Settler
  readonly keyGate: KeyGate
  readonly metrics: Metrics
  readonly meter: UsageMeter
}

/** The x402 version 2 facilitator interface: a verdict is HTTP 200, whatever it says. */
export function facilitatorRoutes(app: FastifyInstance, facilitator: FacilitatorRoutes): void {
  serveRoute(app, supportedRoute, () => supported(facilitator.networks.values()))

  serveRoute(app, verifyRoute, (request, reply) => {
    // What is no payment begins none: it is refused before it is observed or counted.
    const reading = readPaymentRequest(request.body)
    if (!reading.ok) return refuse(request, reply, 'bad_request', reading.problem)
    const body = reading.request
    return answering(() =>
      observePayment(facilitator, 'verify', request, async () => {
        const answer = await verifyAnywhere(facilitator, body, request)
        count(facilitator, facilitator.metrics.verifications, body, answer)
        return answer
      }),
    )
  })

  serveRoute(app, settleRoute, (request, reply) => {
    // What is no payment begins none: it is refused before it is observed or counted.
    const reading = readPaymentRequest(request.body)
    if (!reading.ok) return refuse(request, reply, 'bad_request', reading.problem)
    const body = reading.request
    return answering(() =>
      observePayment(facilitator, 'settle', request, async () => {
        const answer = await settleAnywhere(facilitator, body, request)
        count(facilitator, facilitator.metrics.settlements, body, answer)
        return answer
      }),
    )
  })

  exposeUsage(app, facilitator)
}

async function verifyAnywhere(
  { networks, keyGate, meter }: FacilitatorRoutes,
  request: PaymentRequest,
  caller: Caller,
): Promise<VerifyResponse> {
  const chosen = chooseNetwork(networks, request)
  if (!chosen.ok) return notVerified(chosen.refusal)
  admit(keyGate, chosen.network, request, caller)
  const answer = await verify(chosen.network, request)
  countVerify(meter, reached(keyGate, chosen.network, request, caller), answer)
  return answer
}

async function settleAnywhere(
  { networks, settler, keyGate, meter }: FacilitatorRoutes,
  request: PaymentRequest,
  caller: Caller,
): Promise<SettleResponse> {
  const chosen = chooseNetwork(networks, request)
  if (!chosen.ok) return notSettled(subjectOf(request), chosen.refusal)
  admit(keyGate, chosen.network, request, caller)
  const asked = reached(keyGate, chosen.network, request, caller)
  const settled = await settler.settle(chosen.network, request, asked.caller)
  countSettle(meter, asked, settled)
  return settled.response
}

const reached = (
  keyGate: KeyGate,
  network: ServedNetwork,
  request: PaymentRequest,
  { headers }: Caller,
): Reached => ({ caller: callerOf(keyGate.identify(headers)), network, request })

type Caller = Pick<FastifyRequest, 'headers'>

/** Who asks for a scheme that is not served, or for nothing at all, is told so without a key. */
function admit(
  keyGate: KeyGate,
  { id, policy }: ServedNetwork,
  request: PaymentRequest,
  { headers }: Caller,
): void {
  if (!firstFinding(protocolChecks, { request, policy })) keyGate.admit(id, headers)
}

/** Labels come from closed sets only: an unserved network's name is the caller's to choose. */
function count(
  { networks }: FacilitatorRoutes,
  counter: Metrics['verifications'] | Metrics['settlements'],
  { paymentRequirements }: PaymentRequest,
  answer: VerifyResponse | SettleResponse,
): void {
  const { outcome, reason } = verdictOf(answer)
  const network = networks.has(paymentRequirements.network) ? paymentRequirements.network : ''
  counter.inc({ network, outcome, reason })
}
