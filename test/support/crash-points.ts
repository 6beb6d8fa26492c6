/** The points of a settlement at which a process may die, and the watchers that stop it there. */
import type { AbortableQueryOptions, CompiledQuery } from 'kysely'
import type { Db } from '../../src/platform/database/schema.ts'
import type { StellarRpc } from '../../src/stellar/rpc/rpc.ts'

/** In the order of a settlement. */
export const crashPoints = [
  'before claim',
  'after claim',
  'after lease',
  'after signing, before record',
  'after record, before send',
  'after send, before its answer',
  'after the ledger closed, before finish',
  'after finish, before the HTTP answer',
] as const
export type CrashPoint = (typeof crashPoints)[number]

/** Called at each point; resolves when the settlement may continue. */
export type AtPoint = (point: CrashPoint) => Promise<void>

/**
 * The statements of a settlement, by the names that their SQL gives to its parts. Each may be for several
 * settlements.
 */
const statements = {
  claim: /\binsert into "?settlements\b/,
  /** Of claims that wait for a channel. */
  lease: /^with "waiting" as .*"leased" as/s,
  record: /\brecorded"? as \(\s*update "?settlements\b/,
  finish: /\bfinished"? as \(\s*update "?settlements\b/,
}

interface Row {
  /** Of a claim; null when there is none. */
  readonly attempt?: number | null
  /** Of the leased channel; null when none was free. */
  readonly account?: string | null
}

/**
 * Calls `at` before and after the statements of a settlement, once for each of their settlements, while no
 * connection is taken. A claim that got no channel at once is at `after claim`: with a channel it is claimed
 * and leased by one statement.
 */
export function watchStatements(db: Db, at: AtPoint): void {
  const executor = db.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  executor.executeQuery = async <R>(query: CompiledQuery, options?: AbortableQueryOptions) => {
    const { sql } = query
    const all = (point: CrashPoint, count = settlementsIn(query)) =>
      Promise.all(Array.from({ length: count }, () => at(point)))
    if (statements.record.test(sql)) await all('after signing, before record')
    if (statements.finish.test(sql)) await all('after the ledger closed, before finish')
    const result = await execute<R>(query, options)
    const rows = result.rows as readonly Row[]
    const leased = rows.filter(({ account }) => typeof account === 'string').length
    if (statements.claim.test(sql)) {
      const claimed = rows.filter(({ attempt }) => typeof attempt === 'number').length
      await Promise.all([all('after claim', claimed - leased), all('after lease', leased)])
    }
    if (statements.lease.test(sql)) await all('after lease', leased)
    if (statements.record.test(sql)) await all('after record, before send', rows.length)
    return result
  }
}

/** A statement for several settlements takes them as one parameter, an array in JSON. */
function settlementsIn({ parameters }: CompiledQuery): number {
  const list = parameters.find((value) => typeof value === 'string' && value.startsWith('[{'))
  return list === undefined ? 1 : JSON.parse(String(list)).length
}

/**
 * The RPC client, which calls `at` before it returns the answer to a simulation, and after sending. Before the
 * claim's own statement would be too late: settlements that claim together share one.
 */
export const watchRpc = (rpc: StellarRpc, at: AtPoint): StellarRpc =>
  new Proxy(rpc, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (name === 'simulate') {
        return async (...call: Parameters<StellarRpc['simulate']>) => {
          const simulated = await target.simulate(...call)
          await at('before claim')
          return simulated
        }
      }
      if (name !== 'send') return typeof member === 'function' ? member.bind(target) : member
      return async (...sent: Parameters<StellarRpc['send']>) => {
        const outcome = await target.send(...sent)
        await at('after send, before its answer')
        return outcome
      }
    },
  })
