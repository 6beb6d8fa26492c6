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
    pools.freed(sponsorId('one database', { network: 'stellar:pubnet', sponsor: 'G1' }), 'shop')
    pools.freed(sponsorId('another', { network: 'stellar:testnet', sponsor: 'G1' }), 'shop')
    expect(woken).toEqual([])
    pools.freed(sponsor, 'shop')
    expect(woken).toEqual(['shop/waits'])
  })

  test('is passed again when its sponsor becomes free during its pass', () => {
    pass('shop/waits', () => {
      pools.freed(sponsor, 'shop')
      pools.wait('shop/waits', 'sponsor', on)
    })
    expect(woken).toEqual(['shop/waits'])
  })

  test('is not woken during its pass by sponsors that it does not wait for', () => {
    pass('shop/serves', () => pools.freed(sponsor, 'shop'))
    pass('shop/waits', () => {
      pools.freed(sponsorId('another', { network: 'stellar:testnet', sponsor: 'G1' }), 'shop')
      pools.wait('shop/waits', 'sponsor', on)
    })
    expect(woken).toEqual([])
  })

  test('is passed again, however many sponsors the pools of another namespace give up', () => {
    pass('shop/waits', () => {
      pools.freed(sponsor, 'shop')
      for (let count = 0; count < 20_000; count++) pools.freed(`${count}`, 'hostile')
      pools.wait('shop/waits', 'sponsor', on)
    })
    expect(woken).toEqual(['shop/waits'])
  })

  test('is passed again when a pool of another namespace gives its sponsor up during its pass', () => {
    pass('shop/waits', () => {
      pools.freed(sponsor, 'other')
      pools.wait('shop/waits', 'sponsor', on)
    })
    expect(woken).toEqual(['shop/waits'])
  })

  test('waits no more once a pass of its own has begun', () => {
    pass('shop/waits', () => pools.wait('shop/waits', 'sponsor', on))
    pass('shop/waits')
    pools.freed(sponsor, 'shop')
    expect(woken).toEqual([])
  })
})
