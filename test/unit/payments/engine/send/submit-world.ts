import { SorobanDataBuilder } from '@stellar/stellar-sdk'
import { checkPayment } from '../../../../../src/payments/checks/check-payment.ts'
import type { Quote } from '../../../../../src/payments/checks/check-simulation.ts'
import type { SubmittedSettlement } from '../../../../../src/payments/engine/follow/final-result.ts'
import { ClaimedFees } from '../../../../../src/payments/engine/limits/capacity/claimed-fees.ts'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import type {
  CheckedRequest,
  SettlerDeps,
} from '../../../../../src/payments/engine/send/claim-and-submit.ts'
import { defaultTimings } from '../../../../../src/payments/engine/timings.ts'
import { NetworkCounters } from '../../../../../src/payments/health/network/network-counters.ts'
import type { Payment } from '../../../../../src/payments/schemes/scheme.ts'
import type {
  ClaimOutcome,
  ClaimRequest,
} from '../../../../../src/payments/store/settlements/claim/claim-request.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../../src/platform/core/amounts/usd.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../../src/platform/telemetry/metrics/metrics.ts'
import { signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import type { SendOutcome } from '../../../../../src/stellar/rpc/rpc.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { payer, policy, request } from '../../protocol/payment-builder.ts'
import { key, OneSettlement } from '../one-settlement.ts'

export const leased = { account: 'GCHANNEL', index: 0, sequence: 76n }
export const claimed = (attempt = 1): ClaimOutcome => ({
  kind: 'claimed',
  attempt,
  channel: leased,
})
export const sendOutcome = (answer: Partial<SendOutcome>): SendOutcome => ({
  ...{ status: 'PENDING', hash: 'hash', latestLedger: 1_000, latestCloseTime: 1, events: [] },
  ...answer,
})
export const pending = sendOutcome({})

export const quote: Quote = {
  latestLedger: 1_000,
  simulatedOn: 1_000,
  transactionData: new SorobanDataBuilder().setResourceFee(40_000).build().toXdr('base64'),
  inclusionFee: asStroops(100n),
  resourceFee: asStroops(40_000n),
  totalFee: asStroops(40_200n),
}

export async function paymentOf(given = request()): Promise<Payment> {
  const checked = checkPayment(await given, policy, 'settle')
  if (!checked.ok) throw new Error(checked.refusal.code)
  return checked.payment
}

interface Given {
  readonly spendable?: bigint
  /** The outcome of each claim in turn. */
  readonly claims?: readonly ClaimOutcome[]
  /** Whether the store still has the claim when the envelope is recorded; an error when it is away. */
  readonly isRecorded?: boolean | Error
  /** The endpoints' answer to each envelope in turn. */
  readonly sends?: readonly (SendOutcome | Error)[]
  readonly isEnded?: boolean
  /** False before the first ledger was read. */
  readonly knowsTime?: boolean
}

/** The engine between quote and answer, over a store and a network that a test makes up. */
export async function submitWorld({
  spendable = 1_000_000n,
  claims = [claimed()],
  isRecorded = true,
  sends = [pending],
  isEnded = true,
  knowsTime = true,
}: Given = {}) {
  const world = new OneSettlement()
  const asked: Omit<ClaimRequest, 'key'>[] = []
  const log: string[] = []
  const followed: SubmittedSettlement[] = []
  const uncertain: unknown[] = []
  const fees = new ClaimedFees()
  const outcomes = [...claims]
  const answers = [...sends]
  const clock = new FakeClock()
  const signer = (seed: number) => signerFromSeed(new Uint8Array(32).fill(seed))
  const time = {
    now: knowsTime ? 1_790_000_000 : undefined,
    latestLedger: 1_000,
    secondsPerLedger: 5,
  }
  const network = {
    ...{ id: key.network, policy, sponsor: signer(3), time, upto: undefined },
    ...{ sponsorReserve: asStroops(0n), hourlyBudget: undefined, keyShare: undefined },
    inclusionFeeCap: asStroops(1_000n),
    channels: { signer: () => signer(4), indexAfter: () => undefined },
    channelQueue: { length: 0, freed: () => undefined, wait: async () => ({ kind: 'none_free' }) },
    payers: {
      limitToFunds: false,
      balances: { paidOn: () => 0 },
      pauseOf: () => undefined,
    },
    monitor: {
      spendable: asStroops(spendable),
      maxInFlight: 10,
      claimedFees: fees,
      queueCapacity: { observe: () => undefined },
      outbid: (bid: bigint) => void log.push(`bids ${bid}`),
    },
    counters: new NetworkCounters(key.network, clock),
    stages: { run: (_: string, work: () => unknown) => work() },
    claims: {
      write: async (request: ClaimRequest) => {
        log.push('claim')
        asked.push(request)
        return outcomes.shift()
      },
    },
    records: {
      write: async () => {
        log.push('record')
        if (isRecorded instanceof Error) throw isRecorded
        return isRecorded
      },
    },
    rpc: {
      send: async () => {
        log.push('send')
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer
      },
    },
  } as unknown as ServedNetwork
  world.before = ({ sql }) => {
    if (sql.includes('"state" = $1') && sql.startsWith('with "released"')) log.push('release')
  }
  const response = { success: true, transaction: 'hash', network: key.network, payer }
  const deps = {
    ...{ store: world.store, clock, timings: defaultTimings, owner: 'one', isCataloging: false },
    ...{ log: createLogger({ level: 'silent' }), metrics: createMetrics() },
    ...{ serviceFee: asUsdUnits(0n), signal: new AbortController().signal, landed: undefined },
    uncertain: { add: (_: unknown, claim: unknown) => void uncertain.push(claim) },
    follower: {
      answerWithin: async (_: unknown, submitted: SubmittedSettlement) => {
        followed.push(submitted)
        return response
      },
      finisher: { endRefusedAttempt: async () => isEnded },
    },
  } as unknown as SettlerDeps
  const checked: CheckedRequest = {
    ...{ network, payment: await paymentOf(), key, fingerprint: 'f' },
    ...{ identifier: undefined, caller: 'public', client: 'a client' },
  }
  return {
    world,
    clock,
    network,
    deps,
    checked,
    fees,
    log,
    followed,
    asked,
    uncertain,
    paid: response,
  }
}
