import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../core/faults.ts'
import type { KeyGate } from '../http/key-gate.ts'
import { settleRefusal, verifyRefusal } from '../http/payment-refusal.ts'
import { RpcError } from '../stellar/rpc.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { firstFinding } from '../x402/checks/check.ts'
import { protocolChecks } from '../x402/checks/protocol.ts'
import {
  type PaymentRequest,
  readPaymentRequest,
  type SettleResponse,
  type VerifyResponse,
} from '../x402/protocol.ts'
import { notSettled, notVerified, subjectOf } from './answers.ts'
import { chooseNetwork } from './choose-network.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Settler } from './settle.ts'
import { supported } from './supported.ts'
import { verify } from './verify.ts'

export interface FacilitatorRoutes {
  /** In the order they are offered. */
  readonly networks: ReadonlyMap<string, ServedNetwork>
  readonly settler: Settler
  readonly keyGate: KeyGate
  readonly metrics: Metrics
}

/** The x402 version 2 facilitator interface: a verdict is HTTP 200, whatever it says. */
export function facilitatorRoutes(app: FastifyInstance, facilitator: FacilitatorRoutes): void {
  app.get('/supported', () => supported(facilitator.networks.values()))

  app.post('/verify', { config: { refusal: verifyRefusal } }, (request) =>
    answering(async () => {
      const body = paymentIn(request)
      const answer = await verifyAnywhere(facilitator, body, request)
      countVerification(facilitator.metrics, body, answer)
      return answer
    }),
  )

  app.post('/settle', { config: { refusal: settleRefusal } }, (request) =>
    answering(async () => {
      const body = paymentIn(request)
      const answer = await settleAnywhere(facilitator, body, request)
      countSettlement(facilitator.metrics, answer)
      return answer
    }),
  )
}

function paymentIn({ body }: FastifyRequest): PaymentRequest {
  const reading = readPaymentRequest(body)
  if (!reading.ok) throw new Fault('bad_request', { reason: reading.problem })
  return reading.request
}

async function verifyAnywhere(
  { networks, keyGate }: FacilitatorRoutes,
  request: PaymentRequest,
  caller: Caller,
): Promise<VerifyResponse> {
  const chosen = chooseNetwork(networks, request)
  if (!chosen.ok) return notVerified(chosen.refusal)
  admit(keyGate, chosen.network, request, caller)
  return verify(chosen.network, request)
}

async function settleAnywhere(
  { networks, settler, keyGate }: FacilitatorRoutes,
  request: PaymentRequest,
  caller: Caller,
): Promise<SettleResponse> {
  const chosen = chooseNetwork(networks, request)
  if (!chosen.ok) return notSettled(subjectOf(request), chosen.refusal)
  admit(keyGate, chosen.network, request, caller)
  return settler.settle(chosen.network, request)
}

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

/** What we stand on may be away for a while; that is no defect of ours, and worth another try. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailable) {
      throw new Fault('service_unavailable', { reason: 'the store is unavailable', cause: error })
    }
    if (error instanceof RpcError) {
      const reason = 'the Stellar network cannot be reached'
      throw new Fault('service_unavailable', { reason, cause: error })
    }
    throw error
  }
}

/** Labels come from closed sets only: an unserved network's name is the caller's to choose. */
function countVerification(
  { verifications }: Metrics,
  { paymentRequirements }: PaymentRequest,
  answer: VerifyResponse,
): void {
  const reason = answer.isValid ? '' : answer.invalidReason
  const network = networkLabel(paymentRequirements.network, reason)
  verifications.inc({ network, outcome: answer.isValid ? 'valid' : 'invalid', reason })
}

function countSettlement({ settlements }: Metrics, answer: SettleResponse): void {
  const reason = answer.success ? '' : answer.errorReason
  const outcome = answer.success
    ? 'success'
    : reason === 'settlement_pending'
      ? 'pending'
      : 'failure'
  settlements.inc({ network: networkLabel(answer.network, reason), outcome, reason })
}

const networkLabel = (network: string, reason: string): string =>
  reason === 'invalid_network' || reason === 'invalid_x402_version' ? '' : network
