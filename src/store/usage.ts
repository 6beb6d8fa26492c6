import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'
import type { SettlementKey } from './settlements/settlement.ts'
import { add, type UsageBatch } from './usage/add.ts'
import { countPending } from './usage/count-pending.ts'
import { forgetOld } from './usage/forget-old.ts'
import { read, type UsageRow } from './usage/read.ts'

/**
 * What each caller has asked for, a day. Settlements are counted by the store itself in the
 * transaction that ends them; everything else is added in batches.
 */
export interface UsageRepository {
  add(batch: UsageBatch): Promise<void>
  countPending(key: SettlementKey): Promise<void>
  read(subject: string, days: number): Promise<readonly UsageRow[]>
  forgetOld(keptDays: number): Promise<number>
}

export const usageRepository = (db: Kysely<Database>): UsageRepository => ({
  add: (batch) => add(db, batch),
  countPending: (key) => countPending(db, key),
  read: (subject, days) => read(db, subject, days),
  forgetOld: (keptDays) => forgetOld(db, keptDays),
})
