import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readCatalogStats } from '../../../../src/catalog/store/discovery/stats.ts'
import { countOutcomes } from '../../../../src/catalog/store/outcome-counts.ts'
import {
  readDeclarationStates,
  type SettlementOutcome,
  writeOutcome,
} from '../../../../src/catalog/store/outcomes.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { addChannels, claimRequest, keyOf, sha256 } from '../../payments/store/builders.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'

describe('the outcome of a declaration', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  const outcomeOf = async (
    nonce: string,
    overrides: Partial<SettlementOutcome> = {},
  ): Promise<SettlementOutcome> => {
    const settlement = await findSettlement(store.db, keyOf(nonce))
    if (!settlement) throw new Error(`${nonce} is not claimed`)
    const { id: settlementId, key, facts } = settlement
    const transaction = sha256(`hash of ${nonce}`)
    const outcome = { status: 'success', code: 'cataloged', dropped: [] } as const
    return { settlementId, key, payTo: facts.payTo, transaction, ...outcome, ...overrides }
  }
  const claim = async (...nonces: readonly string[]) => {
    await addChannels(store, nonces.length)
    for (const nonce of nonces) await claimWithChannel(store.db, claimRequest(nonce))
  }
  const counted = async () => (await readCatalogStats(store.db)).outcomes1h
  const stateOf = async (nonce: string) =>
    (await readDeclarationStates(store.db, [keyOf(nonce)]))[0]

  it('is read as it was written, next to settlements that have none', async () => {
    await claim('1', '2', '3')
    const listing = { listingId: '0195c6b7-7bd8-7c6c-b1d2-4f1d4a6f0001', version: 3 }
    await writeOutcome(store.db, 'one', await outcomeOf('1', { dropped: ['tags'], ...listing }))
    const rejected = {
      status: 'rejected',
      code: 'bazaar_info_invalid',
      reason: 'no input',
    } as const
    await writeOutcome(store.db, 'one', await outcomeOf('2', rejected))
    const keys = [keyOf('2'), keyOf('3'), keyOf('1'), keyOf('unknown')]
    expect(await readDeclarationStates(store.db, keys)).toEqual([
      { kind: 'recorded', outcome: { ...rejected, dropped: [] } },
      { kind: 'none' },
      {
        kind: 'recorded',
        outcome: { status: 'success', code: 'cataloged', dropped: ['tags'], ...listing },
      },
      { kind: 'none' },
    ])
    expect(await readDeclarationStates(store.db, [])).toEqual([])
  })

  it('is waited for while the declaration is in the outbox', async () => {
    await claim('1')
    const { settlementId } = await outcomeOf('1')
    await sql`insert into catalog_outbox (settlement_id, network, payer, nonce, pay_to, scheme, asset, amount,
        transaction, settled_at, body, due_at)
      select id, network, payer, nonce, pay_to, scheme, asset, amount, 'hash', now(), '{}', now()
      from settlements where id = ${settlementId}`.execute(store.db)
    expect(await stateOf('1')).toEqual({ kind: 'waiting' })
  })

  it('is written and counted once', async () => {
    await claim('1')
    const outcome = await outcomeOf('1')
    expect(await writeOutcome(store.db, 'one', outcome)).toBe(true)
    const second = { ...outcome, status: 'rejected', code: 'bazaar_info_invalid' } as const
    expect(await writeOutcome(store.db, 'two', second)).toBe(false)
    expect(await stateOf('1')).toMatchObject({ outcome: { code: 'cataloged' } })
    expect(await counted()).toEqual({ settle: { success: 1 } })
  })

  it('holds any text of a seller', async () => {
    await claim('1')
    const reason = 'NUL \0, half a pair \ud800, \u202e and 日本'
    const resource = `https://example.org/\0\udc00${'a'.repeat(5_000)}`
    await writeOutcome(store.db, 'one', await outcomeOf('1', { reason, resource }))
    expect(await stateOf('1')).toMatchObject({
      outcome: { reason: 'NUL , half a pair \ufffd, \u202e and 日本' },
    })
  })

  it('is counted over all processes within the last hour', async () => {
    await countOutcomes(store.db, 'one', [
      { phase: 'verify', status: 'processing', count: 2 },
      { phase: 'settle', status: 'success', count: 1 },
    ])
    await countOutcomes(store.db, 'two', [{ phase: 'verify', status: 'processing', count: 3 }])
    await countOutcomes(store.db, 'two', [{ phase: 'verify', status: 'processing', count: 4 }])
    expect(await counted()).toEqual({ settle: { success: 1 }, verify: { processing: 9 } })
    await sql`update catalog_outcome_counts set minute = minute - interval '61 minutes'`.execute(
      store.db,
    )
    expect(await counted()).toEqual({})
  })
})
