import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listChannels, putChannels } from '../../../../src/payments/store/channels/channel.ts'
import { countChannels, countChannelUse } from '../../../../src/payments/store/channels/count.ts'
import { drainChannels, markRetired } from '../../../../src/payments/store/channels/retire.ts'
import type { NetworkId } from '../../../../src/platform/core/caip2.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'

const testnet = 'stellar:testnet'
const pubnet = 'stellar:pubnet'

describe('channels of other networks and sponsors', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const statesOf = async (network: NetworkId) =>
    (await listChannels(store.db, network)).map(({ sponsor, account, state }) =>
      [sponsor, account, state].join(' '),
    )

  /** One channel each; the same sponsor and account stand on both networks. */
  const addOneEach = () =>
    putChannels(store.db, [
      { network: testnet, sponsor: 'GS1', index: 0, account: 'GA', sequence: 1n },
      { network: testnet, sponsor: 'GS2', index: 0, account: 'GB', sequence: 1n },
      { network: pubnet, sponsor: 'GS1', index: 0, account: 'GA', sequence: 1n },
    ])

  it('are neither listed nor counted', async () => {
    await addOneEach()

    expect(await statesOf(testnet)).toEqual(['GS1 GA active', 'GS2 GB active'])
    expect(await listChannels(store.db, testnet, 'GS1')).toHaveLength(1)
    expect((await countChannels(store.db, testnet, 'GS1')).active).toBe(1)
    expect(await countChannelUse(store.db, testnet, 'GS1')).toMatchObject({ active: 1 })
  })

  it('are not drained', async () => {
    await addOneEach()
    await drainChannels(store.db, testnet, 'GS1')

    expect(await statesOf(testnet)).toEqual(['GS1 GA draining', 'GS2 GB active'])
    expect(await statesOf(pubnet)).toEqual(['GS1 GA active'])
  })

  it('are not marked as retired', async () => {
    await addOneEach()
    await markRetired(store.db, testnet, 'GS1', ['GA', 'GB'])

    expect(await statesOf(testnet)).toEqual(['GS1 GA retired', 'GS2 GB active'])
    expect(await statesOf(pubnet)).toEqual(['GS1 GA active'])
  })

  it('stay as they are when a sponsor without active channels is drained', async () => {
    await addOneEach()
    await markRetired(store.db, testnet, 'GS1', ['GA'])
    await drainChannels(store.db, testnet, 'GS1')

    expect(await statesOf(testnet)).toEqual(['GS1 GA retired', 'GS2 GB active'])
  })
})
