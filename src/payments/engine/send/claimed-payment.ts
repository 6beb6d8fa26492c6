import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import type { Quote } from '../../checks/check-simulation.ts'
import { resourceUrlOf } from '../../protocol/declaration.ts'
import { settleCodes } from '../../protocol/reasons.ts'
import type { Payment } from '../../schemes/scheme.ts'
import type { LeasedChannel } from '../../store/settlements/claim/leased-channel.ts'
import type { ClaimFence } from '../../store/settlements/claim/release.ts'
import type { Metering, SettlementFacts } from '../../store/settlements/settlement.ts'
import type { NotSettled } from '../answers/settle-answer.ts'
import type { SettlementFollower } from '../follow/settlement-follower.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import type { Timings } from '../timings.ts'
import type { UncertainClaims } from './uncertain-claims.ts'

/** A payment that passed every check, and whose authorization this process has claimed. */
export interface ClaimedPayment {
  readonly network: ServedNetwork
  readonly payment: Payment
  readonly quote: Quote
  readonly fence: ClaimFence
  /** The fingerprint of the payment's request. */
  readonly fingerprint: string
  readonly metering: Metering
  /** Undefined when every channel was in use at the claim. */
  readonly channel: LeasedChannel | undefined
}

/** The facts of a payment that the store keeps. */
export const factsOf = ({ scheme, request, asset, payTo, amount }: Payment): SettlementFacts => ({
  scheme: scheme.name,
  asset: asset.contract,
  payTo,
  amount,
  resourceUrl: resourceUrlOf(request),
})

export interface SubmitDeps {
  readonly store: Store
  readonly timings: Timings
  readonly follower: SettlementFollower
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  readonly uncertain: UncertainClaims
  readonly signal: AbortSignal
  /** Whether the catalog is on: then declarations are stored with the envelopes. */
  readonly isCataloging: boolean
}

/** Result of a step before the record: its value, or the refusal that answers the request. */
export type StepResult<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly refusal: NotSettled }

export const refusedStep = (code: NotSettled['code'], message?: string) =>
  ({ ok: false, refusal: { code, ...(message !== undefined && { message }) } }) as const

/** Another process has taken the claim over. */
export const claimLost = refusedStep(settleCodes.inProgress)
