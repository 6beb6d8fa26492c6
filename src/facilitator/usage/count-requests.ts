import { assertNever } from '../../core/assert-never.ts'
import type { UsageOutcome } from '../../store/usage/labels.ts'
import type { PaymentRequest, VerifyResponse } from '../../x402/protocol.ts'
import type { ServedNetwork } from '../served-network.ts'
import { countOfSettle, countOfVerify, type Settled } from './outcome.ts'
import type { UsageMeter } from './usage-meter.ts'

/** A request that reached a network. */
export interface Reached {
  readonly caller: string
  readonly network: Pick<ServedNetwork, 'id' | 'policy'>
  readonly request: PaymentRequest
}

export function countVerify(meter: UsageMeter, reached: Reached, response: VerifyResponse): void {
  const outcome = countOfVerify(response)
  if (outcome !== undefined) count(meter, reached, 'verify', outcome)
}

export function countSettle(meter: UsageMeter, reached: Reached, settled: Settled): void {
  const counted = countOfSettle(settled)
  switch (counted.kind) {
    case 'here':
      count(meter, reached, 'settle', counted.outcome)
      break
    case 'as pending':
      meter.countPending(counted.key)
      break
    case 'with its end':
    case 'nowhere':
      break
    default:
      assertNever(counted)
  }
}

function count(
  meter: UsageMeter,
  { caller, network, request }: Reached,
  operation: 'verify' | 'settle',
  outcome: UsageOutcome,
): void {
  const { asset } = request.paymentRequirements
  const isAccepted = asset !== undefined && network.policy.assets.has(asset)
  meter.count({ subject: caller, network: network.id, operation, outcome, asset, isAccepted })
}
