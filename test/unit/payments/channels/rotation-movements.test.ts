import { describe, expect, test } from 'vitest'
import { movementsBetween } from '../../../../src/payments/channels/rotation/movements.ts'
import { type LumensMoved, RpcError } from '../../../../src/stellar/rpc/rpc.ts'

const [from, to, thief] = ['A', 'B', 'C'].map((letter) => `G${letter.repeat(55)}`) as [
  string,
  string,
  string,
]

/** From 100 to 12 stroops: 50 to the new sponsor, 41 to a thief, 4 of fees, and 7 came in. */
const told: LumensMoved = {
  received: new Map([[thief, 7n]]),
  sent: new Map([
    [to, 50n],
    [thief, 41n],
  ]),
  fees: 4n,
  latestLedger: 20,
}
const start = { ledger: 10, balance: 100n }
const end = { ledger: 20, balance: 12n }
const between = (moved: LumensMoved | RpcError, ends = { start, end }) =>
  movementsBetween(
    {
      lumensMoved: async () => {
        if (moved instanceof RpcError) throw moved
        return moved
      },
    },
    { from, to, passphrase: 'a network', ...ends },
  )

describe('movements between two balances', () => {
  test('are told apart by who got what', async () => {
    expect(await between(told)).toEqual({ received: 7n, swept: 50n, taken: 41n, fees: 4n })
  })

  test.each<{ when: string; moved: LumensMoved | RpcError }>([
    { when: 'does not sum up to the balance', moved: { ...told, fees: 3n } },
    { when: 'has no events of classic operations', moved: { ...told, sent: new Map(), fees: 0n } },
    { when: 'is behind', moved: { ...told, latestLedger: 19 } },
    { when: 'no longer has the ledgers', moved: new RpcError('rejected', 'getEvents', 'no') },
  ])('are unknown while the endpoint $when', async ({ moved }) => {
    expect(await between(moved)).toBeUndefined()
  })

  test('are an error while no endpoint answers', async () => {
    const error = new RpcError('transport', 'getEvents', 'refused')
    await expect(between(error)).rejects.toBe(error)
  })

  test('are none within one ledger', async () => {
    const none = { received: 0n, swept: 0n, taken: 0n, fees: 0n }
    expect(await between(told, { start, end: start })).toEqual(none)
    expect(await between(told, { start, end: { ...start, balance: 1n } })).toBeUndefined()
    // An older answer than the first one tells nothing, or these ledgers would count twice.
    expect(await between(told, { start, end: { ...start, ledger: 9 } })).toBeUndefined()
  })
})
