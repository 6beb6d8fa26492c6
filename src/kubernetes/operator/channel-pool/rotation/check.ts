import { shortfall } from '../../../../payments/channels/create/affordable-channels.ts'
import { problemsOfNewSponsor } from '../../../../payments/channels/rotation/new-sponsor.ts'
import { readWithMark } from '../../../../payments/channels/sponsor-mark.ts'
import { derivedRoleOf } from '../../../../payments/store/channels/derived-role.ts'
import { ownerOf } from '../../../../payments/store/pools/ownership.ts'
import { readPromisedFees } from '../../../../payments/store/settlements/promised-fees.ts'
import { asStroops, type Stroops } from '../../../../platform/core/amounts/stroops.ts'
import type { Connected } from '../connect/connect.ts'
import { ownedByAnother } from '../connect/ownership.ts'
import { requireOwnMark, type TakeOver } from '../converge/mark.ts'

export interface CheckOptions {
  readonly uid: string
  /** The connection of the new sponsor. */
  readonly connected: Connected
  /** Channels that it is to have. */
  readonly channels: number
  /** The sum that it must have left to spend. */
  readonly floor: Stroops
  readonly inclusionFee: Stroops
  readonly takeOver: TakeOver
  /** In an emergency the funds of the old sponsor come to it first. */
  readonly isFundedLater: boolean
  readonly signal: AbortSignal
}

/**
 * Why the pool cannot move to this sponsor, in a sentence that says what to do; undefined when it can. Nothing is changed before it
 * passes. Throws `PoolBlocked` where another store's mark is in the way, `RpcError` and store errors.
 */
export async function problemOfNewSponsor(options: CheckOptions): Promise<string | undefined> {
  const { uid, connected, channels, floor, inclusionFee, takeOver, signal } = options
  const { network, sponsor: address, store, rpc } = connected
  const role = await derivedRoleOf(store.db, network, address)
  const owner = await ownerOf(store.db, { network, sponsor: address })
  const managedElsewhere = owner && owner.uid !== uid ? ownedByAnother(owner) : undefined
  const { accounts, mark } = await readWithMark(rpc, address, [], signal)
  const account = accounts.get(address)
  const facts = { network, address, account, role, managedElsewhere }
  const [first] = problemsOfNewSponsor(facts)
  if (first !== undefined) return sentence(first)
  requireOwnMark({ mark }, connected, takeOver)
  if (!account || options.isFundedLater) return undefined
  const promised = asStroops(await readPromisedFees(store.db, { network, sponsor: address }))
  const entries = { channels, authorities: 1, mark: mark === undefined }
  const lacks = shortfall(account, entries, { floor, promised, inclusionFee })
  return lacks === undefined ? undefined : `The new sponsor has too little: ${lacks}.`
}

/** Turns a clause into the sentence of a condition: with a capital letter and a full stop. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
