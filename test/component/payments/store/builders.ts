import { createHash } from 'node:crypto'
import { putChannels } from '../../../../src/payments/store/channels/channel.ts'
import type {
  ClaimOutcome,
  ClaimRequest,
} from '../../../../src/payments/store/settlements/claim/claim-request.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { KEPT_ONE_IN } from '../../../../src/payments/store/settlements/claim/kept-channels.ts'
import {
  type LeaseOutcome,
  leaseChannels,
} from '../../../../src/payments/store/settlements/claim/lease-channels.ts'
import type {
  ChannelPool,
  LeasedChannel,
} from '../../../../src/payments/store/settlements/claim/leased-channel.ts'
import type { ClaimFence } from '../../../../src/payments/store/settlements/claim/release.ts'
import type { SettlementKey } from '../../../../src/payments/store/settlements/settlement.ts'
import type { FinishRequest } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import {
  type Recording,
  recordEnvelope,
} from '../../../../src/payments/store/settlements/transitions/record.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../../src/platform/core/amounts/usd.ts'
import type { Store } from '../../../../src/platform/database/open.ts'

export const network = 'stellar:testnet'
export const sponsor = 'GSPONSOR'

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const keyOf = (nonce: string): SettlementKey => ({ network, payer: 'GPAYER', nonce })

/** A time to live that is over at once. */
export const NO_TIME = 0

export const claimRequest = (
  nonce: string,
  overrides: Partial<ClaimRequest> = {},
): ClaimRequest => ({
  key: keyOf(nonce),
  fingerprint: sha256(nonce),
  facts: { scheme: 'exact', asset: 'CASSET', payTo: 'GSELLER', amount: 100_000n },
  expirationLedger: 4_294_967_295,
  sponsor,
  owner: 'one',
  claimTtlMs: 30_000,
  leaseTtlMs: 120_000,
  budget: { fee: asStroops(40_000n) },
  metering: { caller: 'public', serviceFee: asUsdUnits(0n) },
  limitToFunds: false,
  ...overrides,
})

export const fence = (nonce: string, overrides: Partial<ClaimFence> = {}): ClaimFence => ({
  key: keyOf(nonce),
  owner: 'one',
  attempt: 1,
  ...overrides,
})

export const recording = (nonce: string, overrides: Partial<Recording> = {}): Recording => ({
  ...fence(nonce),
  channel: 'GCHANNEL0',
  envelopeXdr: `envelope of ${nonce}`,
  txHash: sha256(`hash of ${nonce}`),
  innerHash: sha256(`inner hash of ${nonce}`),
  maxTime: 1_900_000_000,
  sequenceUsed: 101n,
  ledger: 4_294_967_295,
  dueInMs: 10_000,
  ...overrides,
})

export const ending = (nonce: string, overrides: Partial<FinishRequest> = {}): FinishRequest => ({
  key: keyOf(nonce),
  attempt: 1,
  state: 'succeeded',
  response: { success: true, transaction: sha256(`hash of ${nonce}`), network, payer: 'GPAYER' },
  ledger: 4_294_967_296,
  feeCharged: asStroops(33_029n),
  sequence: 'keep',
  ...overrides,
})

/** So many channels that any claim may have, GCHANNEL0 and so on; their indexes leave out the kept ones. */
export const addChannels = (store: Store, count: number): Promise<void> =>
  putAtIndexes(
    store,
    Array.from(
      { length: count },
      (_, channel) => channel + Math.floor(channel / (KEPT_ONE_IN - 1)),
    ),
  )

/** Channels 0 to count - 1 of a pool, the kept ones among them. */
export const addPool = (store: Store, count: number): Promise<void> =>
  putAtIndexes(
    store,
    Array.from({ length: count }, (_, index) => index),
  )

/** Each at sequence number 100. */
const putAtIndexes = (store: Store, indexes: readonly number[]) =>
  putChannels(
    store.db,
    indexes.map((index, channel) => ({
      network,
      sponsor,
      index,
      account: `GCHANNEL${channel}`,
      sequence: 100n,
    })),
  )

/** The channel of a claim; throws when nothing was claimed or no channel was free. */
export function channelOf(outcome: ClaimOutcome): LeasedChannel {
  if (outcome.kind === 'existing') throw new Error(`not claimed: it is ${outcome.settlement.state}`)
  if (outcome.kind !== 'claimed') throw new Error(`not claimed: ${outcome.kind}`)
  if (!outcome.channel) throw new Error('claimed, but no channel was free')
  return outcome.channel
}

/** Leases for one claim that waits; by default a claim of `claimRequest`. */
export async function leaseOne(
  store: Store,
  claim: ClaimFence,
  pool: ChannelPool = { network, sponsor },
): Promise<LeaseOutcome> {
  const request = { ...pool, leaseTtlMs: 120_000, keptForMs: 2_500, claims: [claim] }
  const [outcome] = await leaseChannels(store.db, request)
  if (!outcome) throw new Error('the lease of one claim has no outcome')
  return outcome
}

/** Brings a settlement to `submitted`; returns its channel. */
export async function submit(store: Store, nonce: string): Promise<LeasedChannel> {
  const channel = channelOf(await claimWithChannel(store.db, claimRequest(nonce)))
  const isRecorded = await recordEnvelope(
    store.db,
    recording(nonce, { channel: channel.account, sequenceUsed: (channel.sequence ?? 0n) + 1n }),
  )
  if (!isRecorded) throw new Error(`${nonce} was not recorded`)
  return channel
}
