import { sql } from 'kysely'
import type { ClaimRequest } from '../../../src/payments/store/settlements/claim/claim-request.ts'
import { claimBatch } from '../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { finishBatch } from '../../../src/payments/store/settlements/transitions/finish.ts'
import { recordBatch } from '../../../src/payments/store/settlements/transitions/record.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../src/platform/core/amounts/usd.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { monotonicMs } from '../monotonic.ts'
import { median } from '../statistics.ts'

const network = 'stellar:testnet'
const owner = 'bench'
const CHANNELS = 20
/** Short and in turn, so that all see the same machine. */
const SLICES = 15
const SLICE_MS = 200

export interface DeclarationLoad {
  readonly name: string
  /** Bytes that each payment declares; 0: nothing. */
  readonly bytes: number
  /** Whether the trigger that hands declarations over runs. */
  readonly hasTrigger: boolean
}

/** Median milliseconds of a settlement alone in the store: claim, record and finish. In the order of the loads. */
export async function compareDeclarations(
  store: Store,
  loads: readonly DeclarationLoad[],
): Promise<readonly number[]> {
  await sql`insert into channels (network, sponsor, index, account, sequence)
    select ${network}, 'GSPONSOR', index, 'GCHANNEL' || index, 100
    from generate_series(1, ${CHANNELS}::integer) as index on conflict do nothing`.execute(store.db)
  const times = loads.map((): number[] => [])
  for (let slice = 0; slice < SLICES; slice++) {
    for (const [index, load] of loads.entries()) {
      const state = load.hasTrigger ? sql`enable` : sql`disable`
      await sql`alter table settlements ${state} trigger declarations_reach_the_outbox`.execute(
        store.db,
      )
      const measured = await measure(store, load)
      // The first slice of each plans statements and fills caches.
      if (slice > 0) times[index]?.push(...measured)
    }
    await sql`delete from catalog_outbox`.execute(store.db)
  }
  return times.map(median)
}

let nonces = 0

async function measure({ db }: Store, { bytes }: DeclarationLoad): Promise<number[]> {
  const [claims, records, finishes] = [claimBatch(db), recordBatch(db), finishBatch(db)]
  const declaration = bytes > 0 ? JSON.stringify({ text: 'a'.repeat(bytes) }) : undefined
  const times: number[] = []
  const until = monotonicMs() + SLICE_MS
  while (monotonicMs() < until) {
    const request = requestOf(`${nonces++}`)
    const { key } = request
    const startedAt = monotonicMs()
    const claim = await claims.write(request)
    if (claim.kind !== 'claimed' || !claim.channel) throw new Error('not claimed')
    const { attempt, channel } = claim
    const hash = key.nonce.padStart(64, '0')
    await records.write({
      ...{ key, owner, attempt, channel: channel.account, declaration },
      ...{ envelopeXdr: 'envelope'.repeat(250), txHash: hash, innerHash: hash },
      ...{ maxTime: 1_900_000_000, sequenceUsed: 101n, ledger: 100, dueInMs: 10_000 },
    })
    const response = { success: true, transaction: hash, network, payer: key.payer }
    await finishes.write({
      ...{ key, attempt, txHash: hash, state: 'succeeded', response, ledger: 101 },
      ...{ feeCharged: asStroops(33_029n), sequence: 'keep' },
    })
    times.push(monotonicMs() - startedAt)
  }
  return times
}

const requestOf = (nonce: string): ClaimRequest => ({
  key: { network, payer: 'GPAYER', nonce },
  fingerprint: '0'.repeat(64),
  facts: { scheme: 'exact', asset: 'CASSET', payTo: 'GSELLER', amount: 1_000n },
  expirationLedger: 1_000_000,
  sponsor: 'GSPONSOR',
  owner,
  claimTtlMs: 30_000,
  leaseTtlMs: 120_000,
  budget: { fee: asStroops(40_000n) },
  metering: { caller: 'public', serviceFee: asUsdUnits(0n) },
  limitToFunds: false,
})
