import { Keypair, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { NetworkMonitor } from '../../../../../src/payments/engine/network/network-monitor.ts'
import type { NetworkTime } from '../../../../../src/payments/engine/network/network-time.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { StellarRpc } from '../../../../../src/stellar/rpc/rpc.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { sponsor } from '../../protocol/payment-builder.ts'

const XLM = 10_000_000n
const STALE_MS = 60_000

/** An account without entries of its own: the ledger locks 1 XLM of it. */
const accountXdr = (balance: bigint): string =>
  xdr.LedgerEntryData.account(
    new xdr.AccountEntry({
      accountId: xdr.PublicKey.publicKeyTypeEd25519(Keypair.fromPublicKey(sponsor).rawPublicKey()),
      balance,
      seqNum: 1n,
      numSubEntries: 0,
      inflationDest: null,
      flags: 0,
      homeDomain: '',
      thresholds: new Uint8Array([1, 0, 0, 0]),
      signers: [],
      ext: xdr.AccountEntryExt.v0(),
    }),
  ).toXdr('base64')

/** A monitor of a sponsor with this balance; undefined for no account. */
function monitorOf(given: { balance: bigint | undefined; promised?: bigint }) {
  const clock = new FakeClock()
  const state = { ...given, isAway: false, shown: [] as string[] }
  const away = () => Promise.reject(new Error('no endpoint answers'))
  const rpc = {
    ledgerEntries: async () => {
      if (state.isAway) return away()
      const entries =
        state.balance === undefined ? [] : [{ key: '', xdr: accountXdr(state.balance) }]
      return { latestLedger: 10, entries }
    },
    feeStats: away,
  } as unknown as StellarRpc
  const monitor = new NetworkMonitor({
    ...{ sponsor, rpc, clock, balanceStaleMs: STALE_MS, readWithinMs: 1_000 },
    time: { read: away } as unknown as NetworkTime,
    inclusionFee: { floor: asStroops(100n), cap: asStroops(1_000n), percentile: 'p90' },
    signal: new AbortController().signal,
    onError: () => undefined,
    onBalance: ({ kind }) => void state.shown.push(kind),
    readPromisedFees: async () => asStroops(state.promised ?? 0n),
    readChannels: async () => undefined,
  })
  return { monitor, clock, state }
}

describe('what the sponsor can spend', () => {
  it('is unknown before the first read', () => {
    const { monitor } = monitorOf({ balance: 5n * XLM })
    expect([monitor.spendable, monitor.balance.kind]).toEqual([undefined, 'unknown'])
  })

  it('is its balance without what is locked, promised in the store, and claimed since', async () => {
    const { monitor } = monitorOf({ balance: 5n * XLM, promised: XLM })
    await monitor.refresh()
    expect(monitor.spendable).toBe(3n * XLM)
    const fee = monitor.claimedFees.promise(asStroops(XLM))
    expect(monitor.spendable).toBe(2n * XLM)
    fee.release()
    expect(monitor.spendable).toBe(3n * XLM)
  })

  it('counts a claim until the sum of the store includes it', async () => {
    const { monitor, state } = monitorOf({ balance: 5n * XLM })
    const fee = monitor.claimedFees.promise(asStroops(XLM))
    await monitor.refresh()
    expect(monitor.spendable).toBe(3n * XLM)
    fee.stored()
    state.promised = XLM
    await monitor.refresh()
    expect(monitor.spendable).toBe(3n * XLM)
  })

  it('is unknown for a sponsor that the ledger does not have', async () => {
    const { monitor, state } = monitorOf({ balance: undefined })
    await monitor.refresh()
    expect([monitor.spendable, monitor.balance.kind]).toEqual([undefined, 'missing'])
    expect(state.shown).toEqual(['missing'])
  })

  it('is unknown once it was not read for long', async () => {
    const { monitor, clock, state } = monitorOf({ balance: 5n * XLM })
    await monitor.refresh()
    state.isAway = true
    await clock.advance(STALE_MS)
    await monitor.refresh()
    expect(monitor.spendable).toBe(4n * XLM)
    await clock.advance(1)
    expect(monitor.spendable).toBeUndefined()
    // Only what was read is shown.
    expect(state.shown).toEqual(['known'])
  })
})

describe('the bid', () => {
  it('is not below what the network has refused, for 10 s', async () => {
    const { monitor, clock } = monitorOf({ balance: 5n * XLM })
    expect(monitor.inclusionFee).toBe(100n)
    monitor.outbid(asStroops(300n))
    await clock.advance(9_999)
    expect(monitor.inclusionFee).toBe(300n)
    await clock.advance(1)
    expect(monitor.inclusionFee).toBe(100n)
  })

  it('is not lowered by a refusal of a lower one', () => {
    const { monitor } = monitorOf({ balance: 5n * XLM })
    monitor.outbid(asStroops(50n))
    expect(monitor.inclusionFee).toBe(100n)
  })
})
