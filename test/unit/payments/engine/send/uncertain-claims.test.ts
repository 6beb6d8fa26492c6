import { expect, it } from 'vitest'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import { UncertainClaims } from '../../../../../src/payments/engine/send/uncertain-claims.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { scriptedDatabase } from '../../../../support/scripted-database.ts'

const MOST = 10_000

it('keeps a bounded number of claims while the store is away, the latest ones', async () => {
  const statements: (readonly unknown[])[] = []
  await using db = scriptedDatabase(({ parameters }) => {
    statements.push(parameters)
    return []
  })
  const claims = new UncertainClaims({
    store: { db } as unknown as Store,
    clock: new FakeClock(),
    // Nothing is released in the background.
    signal: AbortSignal.abort(),
  })
  for (let nonce = 0; nonce <= MOST; nonce++) {
    const key = { network: 'stellar:testnet' as const, payer: 'GPAYER', nonce: `${nonce}` }
    claims.add({} as ServedNetwork, { key, owner: 'one', fingerprint: `of ${nonce}` })
  }
  for (const nonce of [0, 1, MOST]) await claims.release(`of ${nonce}`)
  expect(statements).toEqual([
    expect.arrayContaining(['of 1']),
    expect.arrayContaining([`of ${MOST}`]),
  ])
})
