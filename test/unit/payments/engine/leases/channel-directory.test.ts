import { describe, expect, it } from 'vitest'
import { ChannelDirectory } from '../../../../../src/payments/engine/leases/channel-directory.ts'
import { ChannelPresence } from '../../../../../src/payments/engine/leases/channel-presence.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { scriptedDatabase } from '../../../../support/scripted-database.ts'

const row = (sponsor: string, index: number, changes: object = {}) => ({
  ...{ network: 'stellar:testnet', sponsor, index, account: `${sponsor}${index}`, state: 'active' },
  ...{ sequence: 7n, last_used_at: null, is_leased: false, ...changes },
})
const retired = { state: 'retired' }
/** The operator has stored it, and not created its account yet. */
const planned = { state: 'draining', sequence: null }

/** The directory of sponsor `A`, after a read of these channels and authorities. */
async function directoryOf(channels: readonly object[], authorities: readonly object[] = []) {
  const clock = new FakeClock()
  const reads: string[] = []
  const onLedger = new Set<string>()
  const accounts = async (addresses: readonly string[]) => {
    reads.push(addresses.join(' '))
    return new Map(addresses.flatMap((one) => (onLedger.has(one) ? [[one, {} as never]] : [])))
  }
  const db = scriptedDatabase(({ sql }) =>
    sql.includes('from "channels"') ? channels : authorities,
  )
  const directory = new ChannelDirectory({
    ...{ network: 'stellar:testnet', sponsor: 'A', ownAccounts: ['earlier'] },
    store: { db } as unknown as Store,
    presence: new ChannelPresence({ accounts }, clock),
    derive: (index) => signerFromSeed(new Uint8Array(32).fill(index)),
  })
  await directory.refresh()
  return { directory, clock, reads, onLedger, signal: new AbortController().signal }
}

describe('the accounts of a sponsor', () => {
  it('are its own whatever their state, with those of sponsors that share the store', async () => {
    const channels = [row('A', 0), row('A', 1, retired), row('B', 0, retired)]
    const { directory } = await directoryOf(channels, [{ account: 'authority', sponsor: 'B' }])
    const own = ['A', 'A0', 'A1', 'B', 'B0', 'authority', 'earlier'].filter((one) =>
      directory.isOwn(one),
    )
    expect(own).toEqual(['A', 'A0', 'A1', 'B', 'B0', 'authority', 'earlier'])
    expect(directory.isOwn('stranger')).toBe(false)
  })

  it('may submit unless they are retired, and other sponsors while they have channels', async () => {
    const { directory } = await directoryOf([
      ...[row('A', 0), row('A', 1, { state: 'draining' }), row('A', 2, retired)],
      ...[row('B', 0), row('B', 1), row('C', 0, retired), row('D', 0)],
    ])
    expect(directory.signers).toEqual(['A', 'A0', 'A1', 'B', 'B0', 'B1', 'D', 'D0'])
    expect(directory.indexAfter(0)).toBe(0)
    expect(directory.indexAfter(1)).toBeUndefined()
  })

  it.each<{ when: string; channels: readonly object[]; usable: number | undefined }>([
    { when: 'there are none', channels: [], usable: undefined },
    { when: 'they are planned', channels: [row('A', 0, planned)], usable: undefined },
    { when: 'they are drained', channels: [row('A', 0, { state: 'draining' })], usable: 0 },
    {
      when: 'a drained one was used, and its number is unknown',
      channels: [row('A', 0, { ...planned, last_used_at: new Date(0) })],
      usable: 0,
    },
    { when: 'they can be leased', channels: [row('A', 0), row('A', 1)], usable: 2 },
    { when: 'those of another sponsor are retired', channels: [row('B', 0, retired)], usable: 0 },
    { when: 'another sponsor has some', channels: [row('B', 0)], usable: undefined },
    {
      when: 'another sponsor has one left',
      channels: [row('B', 0), row('B', 1, retired)],
      usable: undefined,
    },
  ])('are $usable to use when $when', async ({ channels, usable }) => {
    expect((await directoryOf(channels)).directory.usable).toBe(usable)
  })

  it('are not usable once the ledger is known to lack them', async () => {
    const { directory, onLedger, signal } = await directoryOf([row('A', 0), row('A', 1)])
    onLedger.add('A1')
    await directory.readLedger(signal)
    expect([directory.usable, directory.onLedger]).toEqual([1, 1])
  })

  it('are read again while one is missing, and once a minute', async () => {
    const { directory, clock, reads, onLedger, signal } = await directoryOf([row('A', 0)])
    await directory.readLedger(signal)
    onLedger.add('A0')
    await directory.readLedger(signal)
    await directory.readLedger(signal)
    expect(reads).toEqual(['A0', 'A0'])
    await clock.advance(60_000)
    await directory.readLedger(signal)
    expect(reads).toEqual(['A0', 'A0', 'A0'])
  })

  it('have one key each, made once', async () => {
    const { directory } = await directoryOf([row('A', 4), row('A', 5, retired), row('A', 6)])
    const [first, ...more] = directory.ownSigners(5)
    expect(more).toHaveLength(1)
    expect(directory.signer(4)).toBe(first)
  })
})
