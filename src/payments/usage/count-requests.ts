import { apiKeySubject } from '../../platform/core/api-key-entry.ts'
import { assertNever } from '../../platform/core/language/assert-never.ts'
import type { ServedNetwork } from '../engine/network/served-network.ts'
import type { PaymentRequest, VerifyResponse } from '../protocol/protocol.ts'
import type { UsageOutcome } from '../store/usage/labels.ts'
import { countOfSettle, countOfVerify, type SettleResult } from './outcome.ts'
import type { UsageMeter } from './usage-meter.ts'

/** The caller of all requests without a known key; no key can read this usage. */
export const PUBLIC_CALLER = 'public'

/**
 * The caller under which a request is counted.
 * @param digest in hex, of the known key of the request
 */
export const callerOf = (digest: string | undefined): string =>
  digest === undefined ? PUBLIC_CALLER : apiKeySubject(digest)

/** A request for a network that is served. */
export interface CountedRequest {
  readonly caller: string
  readonly network: Pick<ServedNetwork, 'id' | 'policy'>
  readonly request: PaymentRequest
}

export function countVerify(
  meter: UsageMeter,
  request: CountedRequest,
  response: VerifyResponse,
): void {
  const outcome = countOfVerify(response)
  if (outcome !== undefined) count(meter, request, 'verify', outcome)
}

export function countSettle(
  meter: UsageMeter,
  request: CountedRequest,
  settled: SettleResult,
): void {
  const counted = countOfSettle(settled)
  switch (counted.kind) {
    case 'now':
      count(meter, request, 'settle', counted.outcome)
      break
    case 'pending':
      meter.countPending(counted.key)
      break
    case 'at the end':
    case 'never':
      break
    default:
      assertNever(counted)
  }
}

function count(
  meter: UsageMeter,
  { caller, network, request }: CountedRequest,
  operation: 'verify' | 'settle',
  outcome: UsageOutcome,
): void {
  const { asset } = request.paymentRequirements
  const isAccepted = asset !== undefined && network.policy.assets.has(asset)
  meter.count({ subject: caller, network: network.id, operation, outcome, asset, isAccepted })
}
