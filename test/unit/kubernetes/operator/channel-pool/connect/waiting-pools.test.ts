import { beforeEach, describe, expect, test } from 'vitest'
import {
  type Dependencies,
  sponsorId,
  WaitingPools,
} from '../../../../../../src/kubernetes/operator/channel-pool/connect/waiting-pools.ts'
import { FakeClock } from '../../../../../support/fake-clock.ts'

const sponsor = sponsorId('one database', { network: 'stellar:testnet', sponsor: 'G1' })
const on: Dependencies = { store: 'one database', rpc: 'one endpoint', sponsor }
let clock: FakeClock
let woken: string[]
let pools: WaitingPools

beforeEach(() => {
  clock = new FakeClock()
  woken = []
  pools = new WaitingPools({ clock, wake: (key) => woken.push(key) })
})

const pass = (key: string, after: () => void = () => undefined) => {
  pools.begin(key)
  after()
  pools.end(key)
}

describe('N7: a pool that waits', () => {
  test.each(['store', 'rpc'] as const)(
    'for its %s is woken once another one reaches it',
    async (dependency) => {
      pass('shop/waits', () => pools.wait('shop/waits', dependency, on))
      await clock.advance(2_000)
      pools.reached({ store: 'another', rpc: 'another', sponsor })
      expect(woken).toEqual([])
      pools.reached(on)
      pools.reached(on)
      expect(woken).toEqual(['shop/waits'])
    },
  )

  test('is not woken again and again by what answers only now and then', () => {
    pass('shop/waits', () => pools.wait('shop/waits', 'rpc', on))
    pools.reached(on)
    expect(woken).toEqual([])
  })

  test('for a sponsor is woken when that is free, and not when its database answers', async () => {
    pass('shop/waits', () => pools.wait('shop/waits', 'sponsor', on))
    await clock.advance(2_000)
    pools.reached(on)
    pools.freed(sponsorId('one database', { network: 'stellar:pubnet', sponsor: 'G1' }))
    pools.freed(sponsorId('another', { network: 'stellar:testnet', sponsor: 'G1' }))
    expect(woken).toEqual([])
    pools.freed(sponsor)
    expect(woken).toEqual(['shop/waits'])
  })

  test('is passed again when its sponsor becomes free during its pass', () => {
    pass('shop/waits', () => {
      pools.freed(sponsor)
      pools.wait('shop/waits', 'sponsor', on)
    })
    expect(woken).toEqual(['shop/waits'])
  })

  test('is not woken during its pass by sponsors that it does not wait for', () => {
    pass('shop/serves', () => pools.freed(sponsor))
    pass('shop/waits', () => {
      pools.freed(sponsorId('another', { network: 'stellar:testnet', sponsor: 'G1' }))
      pools.wait('shop/waits', 'sponsor', on)
    })
    expect(woken).toEqual([])
  })

  test('waits no more once a pass of its own has begun', () => {
    pass('shop/waits', () => pools.wait('shop/waits', 'sponsor', on))
    pass('shop/waits')
    pools.freed(sponsor)
    expect(woken).toEqual([])
  })
})
