import { describe, expect, test, vi } from 'vitest'
import { rewrite } from '../../support/ledger-surgery.ts'
import { accountEntry, accountKey } from '../../support/ledger-view.ts'
import type { RpcFault } from '../../support/rpc-proxy.ts'
import { untilState } from '../payments/store-view.ts'
import {
  expectEnd,
  expired,
  type FaultWorld,
  openFaultWorld,
  refused,
  settled,
} from './fault-world.ts'

type Json = Record<string, unknown>
const instead = (status: string): RpcFault => ({
  kind: 'rewrite',
  change: (result: Json) => ({ ...result, status }),
})

describe('a payment is settled once though the answer to sending it', () => {
  test.each<{ when: string; fault: RpcFault; endpoints: 1 | 2 }>([
    { when: 'is lost', fault: { kind: 'lose answer' }, endpoints: 1 },
    { when: 'is lost at the first of two endpoints', fault: { kind: 'lose answer' }, endpoints: 2 },
    { when: 'is cut short', fault: { kind: 'truncate' }, endpoints: 1 },
    { when: 'is that it took it in, which is not true', fault: { kind: 'swallow' }, endpoints: 1 },
    { when: 'is DUPLICATE', fault: instead('DUPLICATE'), endpoints: 1 },
    { when: 'is TRY_AGAIN_LATER', fault: instead('TRY_AGAIN_LATER'), endpoints: 1 },
    {
      when: 'is TRY_AGAIN_LATER at the first of two',
      fault: instead('TRY_AGAIN_LATER'),
      endpoints: 2,
    },
  ])('$when', async ({ fault, endpoints }) => {
    await using faulty = await openFaultWorld(endpoints)
    const { world, proxies, settle } = faulty
    const body = await world.pay()
    const after = world.stack.localnet.network.latest.sequence
    proxies[0]?.fail('sendTransaction', fault, 1)
    const answer = await settle(body)
    await expectEnd(faulty, { body, after, answer }, settled)
  })

  test('is lost after its ledger closed, and the next endpoint reports its sequence number as used', async () => {
    // The network's refusal would count as long as no other replica can have sent the bytes.
    await using faulty = await openFaultWorld(2, { timings: { rebroadcastMs: 3_000 } })
    const { world, proxies, settle } = faulty
    const { stack } = world
    stack.hold(true)
    const body = await world.pay()
    const after = stack.localnet.network.latest.sequence
    const landed = async () => {
      // A node does not take the same bytes into its queue again for ten ledgers.
      for (let ledger = 0; ledger < 12; ledger++) await stack.localnet.closeLedger()
    }
    proxies[0]?.fail('sendTransaction', { kind: 'lose answer', after: landed }, 1)
    const answer = await settle(body)
    expect(proxies[1]?.count('sendTransaction')).toBeGreaterThan(0)
    await expectEnd(faulty, { body, after, answer }, settled)
  })
})

/** How the network comes to refuse what it is sent: on the ledger, or by what is sent. */
interface Refusal {
  readonly code: string
  readonly provoke: (faulty: FaultWorld) => Promise<unknown>
}

const setSponsor = async ({ world }: FaultWorld, change: (account: Account) => void) =>
  rewrite(world.stack.localnet.network, accountKey(world.sponsor), (data) => {
    if (data.type === 'account') change(data.account)
  })
type Account = ReturnType<typeof accountEntry>

const refusals: readonly Refusal[] = [
  {
    code: 'txInsufficientBalance',
    provoke: (faulty) =>
      setSponsor(faulty, (account) => Object.assign(account, { balance: 10_000_000n })),
  },
  {
    code: 'txBadAuth',
    provoke: (faulty) =>
      setSponsor(faulty, ({ thresholds }) => {
        // The weight of the account's own key.
        thresholds.value[0] = 0
      }),
  },
  {
    code: 'txNoAccount',
    provoke: async ({ world: { stack, channel } }) => {
      const { network } = stack.localnet
      const { entries, ...rest } = await network.snapshot()
      const gone = network.entry(accountKey(channel))
      await network.restore({ ...rest, entries: entries.filter(([, entry]) => entry !== gone) })
      const sequence = 7n
      await stack.store.db.updateTable('channels').set({ sequence }).execute()
    },
  },
]

describe('a payment is answered as refused, and its channel freed once no ledger can have it, when the network answers', () => {
  test.each(refusals)('ERROR $code', async ({ code, provoke }) => {
    await using faulty = await openFaultWorld(2, { network: { channelCount: 1 } })
    const { world, settle, untilTooLate } = faulty
    const { stack } = world
    const body = await world.pay()
    const after = stack.localnet.network.latest.sequence
    await provoke(faulty)
    const answer = await settle(body)
    await expectEnd(faulty, { body, after, answer }, refused(code))
    await untilTooLate(body)
    await untilState(stack, body, 'expired')
    await expectEnd(faulty, { body, after, answer: await settle(body) }, expired)
  })
})

test('ERROR txTooLate proves nothing about a transaction that may have been sent: it expires in time', async () => {
  await using faulty = await openFaultWorld(1, { timings: { validitySeconds: 5 } })
  const { world, proxies, settle, untilRecorded, untilTooLate } = faulty
  const body = await world.pay()
  const after = world.stack.localnet.network.latest.sequence
  const settling = settle(body)
  await untilRecorded(body)
  await vi.waitFor(() => expect(proxies[0]?.count('sendTransaction')).toBeGreaterThan(1), {
    timeout: 120_000,
  })
  await untilTooLate(body)
  const answer = await settling
  await expectEnd(faulty, { body, after, answer }, expired)
})

test('ERROR txBadSeq proves nothing either: this same transaction may have used the number', async () => {
  await using faulty = await openFaultWorld(1, { network: { channelCount: 1 } })
  const { world, settle, untilRecorded, untilTooLate } = faulty
  const { stack, channel } = world
  const body = await world.pay()
  const after = stack.localnet.network.latest.sequence
  // As if another program had used the channel's key: the store has another number.
  const sequence = accountEntry(stack.localnet.network, channel).seqNum + 5n
  await stack.store.db.updateTable('channels').set({ sequence }).execute()
  const settling = settle(body)
  await untilRecorded(body)
  await untilTooLate(body)
  await expectEnd(faulty, { body, after, answer: await settling }, expired)
  // The channel asks the ledger for its number before it is used again.
  expect(await settle(await world.pay())).toMatchObject({ success: true })
})
