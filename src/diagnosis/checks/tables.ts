import type { TableSize } from '../../platform/database/postgres/table-sizes.ts'
import type { ServiceFacts } from '../facts/facts.ts'
import type { CheckName } from './check-names.ts'
import { countOf, ok, warning } from './diagnosis.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'

const MIB = 2 ** 20
/** Smaller tables are only counted. */
const SHOWN_FROM_BYTES = MIB
/** About two and a half million settlements: a backup or an index build begins to take long. */
const LARGE_BYTES = 10 * 1_024 * MIB

/** How large each table is, and whether the service never deletes settlements although there are many. */
export const tables: DoctorCheck<CheckName, ServiceFacts> = {
  name: 'tables',
  needs: ['schema'],
  run: ({ tables: fetched, config }) =>
    checkFetched(fetched, 'run the command again', (all) => {
      const shown = all.filter(({ bytes }) => bytes >= SHOWN_FROM_BYTES)
      const small = all.length - shown.length
      const says = [
        ...shown.map(sizeOf),
        ...(small > 0 ? [`${countOf(small, 'table')} under 1 MiB`] : []),
      ].join('; ')
      const settlements = all.find(({ table }) => table === 'settlements')
      const isLarge = settlements !== undefined && settlements.bytes >= LARGE_BYTES
      if (!isLarge || config.settlementRetentionDays !== undefined) return ok(says)
      return warning(says, 'set SETTLEMENT_RETENTION_DAYS: without it every settlement is kept')
    }),
}

const sizeOf = ({ table, rows, deadRows, bytes, oldest }: TableSize): string => {
  const since = oldest === undefined ? '' : `, since ${oldest.toISOString().slice(0, 10)}`
  return `${table} ${grouped(Math.round(bytes / MIB))} MiB (${grouped(rows)} rows, ${grouped(deadRows)} dead${since})`
}

const grouped = (count: number): string => count.toLocaleString('en-US')
