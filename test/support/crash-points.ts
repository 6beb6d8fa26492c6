/** The points of a settlement at which a process may die, and the watchers that stop it there. */
import type { AbortableQueryOptions, CompiledQuery } from 'kysely'
import type { StellarRpc } from '../../src/stellar/rpc.ts'
import type { Db } from '../../src/store/schema.ts'

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

/** The statements of a settlement, by the names that their SQL gives to its parts. */
const statements = {
  claim: /^with "claim" as \(insert into "settlements"/,
  lease: /^with "claim" as \(select .*"leased" as/s,
  record: /"recorded" as \(update "settlements"/,
  /** Of `finishSettlement` and `finishBatch`, not of `finishIfRecent`. */
  finish: /\bfinished"? as \(\s*update "?settlements(?!.*"recorded_at" >)/s,
}

/**
 * Calls `at` before and after the statements of a settlement, while no connection is taken. A claim that
 * got no channel at once is at `after claim`: with a channel it is claimed and leased by one statement.
 */
export function watchStatements(db: Db, at: AtPoint): void {
  const executor = db.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  executor.executeQuery = async <Row>(query: CompiledQuery, options?: AbortableQueryOptions) => {
    const { sql } = query
    if (statements.claim.test(sql)) await at('before claim')
    if (statements.record.test(sql)) await at('after signing, before record')
    if (statements.finish.test(sql)) await at('after the ledger closed, before finish')
    const result = await execute<Row>(query, options)
    const [row] = result.rows as readonly { readonly account?: string | null }[]
    const isLeased = row?.account !== null
    if (row && statements.claim.test(sql)) await at(isLeased ? 'after lease' : 'after claim')
    if (row && isLeased && statements.lease.test(sql)) await at('after lease')
    if (row && statements.record.test(sql)) await at('after record, before send')
    return result
  }
}

/** The RPC client, which calls `at` after sending and before it returns the answer. */
export const watchRpc = (rpc: StellarRpc, at: AtPoint): StellarRpc =>
  new Proxy(rpc, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (name !== 'send') return typeof member === 'function' ? member.bind(target) : member
      return async (...sent: Parameters<StellarRpc['send']>) => {
        const outcome = await target.send(...sent)
        await at('after send, before its answer')
        return outcome
      }
    },
  })
