import { describe, expect, it } from 'vitest'
import {
  obtainChannel,
  refusalAfterWait,
} from '../../../../../src/payments/engine/leases/obtain-channel.ts'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import type { ClaimedPayment } from '../../../../../src/payments/engine/send/claimed-payment.ts'
import { settleCodes } from '../../../../../src/payments/protocol/reasons.ts'
import type { LeaseOutcome } from '../../../../../src/payments/store/settlements/claim/lease-channels.ts'
import { scriptedDatabase } from '../../../../support/scripted-database.ts'
import { key } from '../one-settlement.ts'
import { leased, paymentOf, quote, submitWorld } from '../send/submit-world.ts'

interface Given {
  readonly channel?: ClaimedPayment['channel']
  readonly waits?: LeaseOutcome
  /** The sequence number of the channel on the ledger; undefined for no account. */
  readonly onLedger?: bigint
  readonly latestLedger?: number
  readonly hasPause?: boolean
  readonly pausedForMs?: number
}

async function claimedWorld({
  channel,
  waits = { kind: 'none_free' },
  onLedger,
  latestLedger = 1_000,
  hasPause = true,
  pausedForMs = 0,
}: Given) {
  const { network: base, deps } = await submitWorld()
  const noted: number[] = []
  const network = {
    ...base,
    time: { latestLedger },
    channelQueue: { wait: async () => waits },
    payers: {
      pauseOf: () =>
        hasPause ? { failures: 1, codes: [], windowSeconds: 1, pauseSeconds: 1 } : undefined,
      paused: { note: (_: string, ms: number) => void noted.push(ms) },
    },
    rpc: {
      accounts: async ([address = '']: readonly string[]) =>
        new Map(onLedger === undefined ? [] : [[address, { sequence: onLedger }]]),
    },
  } as unknown as ServedNetwork
  const claimed: ClaimedPayment = {
    ...{ network, payment: await paymentOf(), quote, fence: { key, owner: 'one', attempt: 1 } },
    ...{ fingerprint: 'f', channel, metering: { caller: 'public', serviceFee: 0n as never } },
  }
  const store = {
    ...deps.store,
    db: scriptedDatabase(() => [{ ms: pausedForMs }]),
  } as typeof deps.store
  return { deps: { ...deps, store }, claimed, noted }
}

const unknownNumber = { ...leased, sequence: undefined }

describe('the channel of a claimed payment', () => {
  it.each<{ when: string; given: Given; obtained: object }>([
    {
      when: 'is that of the claim',
      ...{ given: { channel: leased }, obtained: { ok: true, channel: leased, sequence: 76n } },
    },
    {
      when: 'is one that became free',
      given: { waits: { kind: 'leased', channel: leased } },
      obtained: { ok: true, channel: leased, sequence: 76n },
    },
    {
      when: 'has the sequence number of the ledger when the store has none',
      given: { channel: unknownNumber, onLedger: 5n },
      obtained: { ok: true, channel: unknownNumber, sequence: 5n },
    },
    {
      when: 'is refused when the ledger has no such account',
      given: { channel: unknownNumber },
      obtained: {
        ok: false,
        refusal: {
          code: settleCodes.channelUnavailable,
          message: 'channel GCHANNEL does not exist on the ledger',
        },
      },
    },
    {
      when: 'is refused when none became free',
      ...{ given: {}, obtained: { ok: false, refusal: { code: settleCodes.channelUnavailable } } },
    },
    {
      when: 'is refused when another process has the claim',
      given: { waits: { kind: 'claim_lost' } },
      obtained: { ok: false, refusal: { code: settleCodes.inProgress } },
    },
  ])('$when', async ({ given, obtained }) => {
    const { deps, claimed } = await claimedWorld(given)
    expect(await obtainChannel(deps, claimed)).toEqual(obtained)
  })
})

describe('a payment that has waited for its channel', () => {
  it.each<{ when: string; given: Given; code?: string; noted?: readonly number[] }>([
    { when: 'goes on', given: {}, noted: [0] },
    { when: 'goes on where no payer is paused', given: { hasPause: false, pausedForMs: 5 } },
    {
      when: 'goes on in the last ledger before its expiry',
      given: { latestLedger: 1_009 },
      noted: [0],
    },
    {
      when: 'is refused once its authorization has expired',
      ...{ given: { latestLedger: 1_010 }, code: 'invalid_exact_stellar_signature_expired' },
    },
    {
      when: 'is refused when its payer was paused meanwhile',
      ...{ given: { pausedForMs: 5 }, code: settleCodes.payerPaused, noted: [5] },
    },
  ])('$when', async ({ given, code, noted = [] }) => {
    const world = await claimedWorld(given)
    const refusal = await refusalAfterWait(world.deps, world.claimed)
    expect(refusal?.code).toBe(code)
    expect(world.noted).toEqual(noted)
  })
})
