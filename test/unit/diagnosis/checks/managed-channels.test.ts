import { describe, expect, test } from 'vitest'
import { channelChecks } from '../../../../src/diagnosis/checks/channels.ts'
import { account, channel, facts, ledger, stored } from '../doctor-facts.ts'

const pool = 'shop/testnet'
const none = ledger({ channels: new Map() })
/** Two of the three accounts that the store knows; a pod expects as many channels as it has by default. */
const oneGone = ledger({ derived: ['C0', 'C1', 'C2'] })
const three = [channel(0), channel(1), channel(2)]

const defects: readonly (readonly [when: string, given: Parameters<typeof facts>[0]])[] = [
  ['no channel is on the ledger', { ledger: none, stored: stored({ pool, channels: [] }) }],
  ['a channel is gone', { ledger: oneGone, stored: stored({ pool, channels: three }) }],
  [
    'a sequence number differs',
    { stored: stored({ pool, channels: [channel(0, { sequence: 9n })] }) },
  ],
  [
    'another account created a channel',
    {
      ledger: ledger({ channels: new Map([['C0', account({ address: 'C0', sponsored: 0 })]]) }),
      stored: stored({ pool, channels: [channel(0)] }),
    },
  ],
]

const diagnoses = (given: Parameters<typeof facts>[0]) =>
  channelChecks.map(({ run }) => run(facts({ autoProvisionChannels: false, ...given })))

describe('the checks of channels that an operator manages', () => {
  test.each(defects)('never say svc provision, which makes strays: %s', (_, given) => {
    const found = diagnoses(given).filter(({ status }) => status !== 'ok')
    expect(found.length).toBeGreaterThan(0)
    for (const { todo } of found) {
      expect(todo).not.toContain('provision')
      expect(todo).toContain('ChannelPool')
    }
  })

  test('name the pool to raise', () => {
    const [first] = diagnoses({ ledger: none, stored: stored({ pool, channels: [] }) })
    expect(first).toMatchObject({
      status: 'problem',
      todo: expect.stringContaining('raise spec.channels of ChannelPool shop/testnet'),
    })
  })

  test('find nothing in a pool of another size than a pod expects, and while it shrinks', () => {
    const channels = [channel(0), channel(1, { state: 'draining' })]
    expect(
      new Set(diagnoses({ stored: stored({ pool, channels }) }).map((one) => one.status)),
    ).toEqual(new Set(['ok']))
  })

  test('name the ChannelPool beside svc provision while the store cannot say who manages them', () => {
    const [first] = diagnoses({ ledger: none, stored: { ok: false, why: 'the store is down' } })
    expect(first?.todo).toContain('raise spec.channels of the ChannelPool')
  })
})
