/** The moments of a settlement at which a process may die, and the ports through which they are seen. */
import type { StellarRpc } from '../../src/stellar/rpc.ts'
import type { Store } from '../../src/store/open.ts'

/** In the order in which a settlement passes them. */
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

/** Called at each point; resolves when the settlement may go on. */
export type AtPoint = (point: CrashPoint) => Promise<void>

/**
 * The same store, which says where a settlement is. A claim that got no channel at once is at
 * `after claim`: with a channel it is claimed and leased by one statement.
 */
export function watchedStore(store: Store, at: AtPoint): Store {
  const { settlements } = store
  return {
    ...store,
    settlements: {
      ...settlements,
      claimWithChannel: async (request) => {
        await at('before claim')
        const outcome = await settlements.claimWithChannel(request)
        if (outcome.kind === 'claimed') await at(outcome.channel ? 'after lease' : 'after claim')
        return outcome
      },
      leaseChannel: async (request) => {
        const outcome = await settlements.leaseChannel(request)
        if (outcome.kind === 'leased') await at('after lease')
        return outcome
      },
      record: async (recording) => {
        await at('after signing, before record')
        const isRecorded = await settlements.record(recording)
        if (isRecorded) await at('after record, before send')
        return isRecorded
      },
      finish: async (request) => {
        await at('after the ledger closed, before finish')
        return settlements.finish(request)
      },
    },
  }
}

/** The same way to the network, which says when something was sent and the answer is on its way back. */
export const watchedRpc = (rpc: StellarRpc, at: AtPoint): StellarRpc =>
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
