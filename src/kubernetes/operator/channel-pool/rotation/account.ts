/**
 * Accounts for the old sponsor's XLM, in `status.rotation.account`: by the ledger, so that no crash between a transaction and a write
 * of the status leaves anything out. Each time the ledgers since the last one are read, and sums and ledger are written together.
 */
import {
  addMovements,
  type BalanceAt,
  balanceAt,
  type Movements,
  movementsBetween,
  noMovements,
} from '../../../../payments/channels/rotation/movements.ts'
import { decimalXlm, stroopsFromLumens } from '../../../../platform/core/amounts/stroops.ts'
import { passphrases } from '../../../../platform/core/caip2.ts'
import { isoTime } from '../../../../platform/core/text/iso-time.ts'
import { hasBothSponsors, type Rotation } from '../../references/rotation-state.ts'
import type { Connected } from '../connect/connect.ts'
import { type Swept, withLosses } from './funds.ts'

type Account = NonNullable<Rotation['account']>

export interface Ledgers extends Pick<Connected, 'rpc' | 'network'> {
  readonly signal: AbortSignal
  /** Unix ms. */
  readonly now: number
}

/** Endpoints retain events for a day or more, and a pass should not read too many at once. */
const EVERY_MS = 600_000
const PATIENCE_MS = 60_000

/** Starts the sums of the movements. Has to be written before the first transaction of the rotation. */
export async function withOpenBooks(
  rotation: Rotation,
  { rpc, signal, now }: Ledgers,
): Promise<Rotation> {
  const { address } = rotation.from
  if (address === undefined) return rotation
  const { ledger, balance } = await balanceAt(rpc, address, signal)
  const account = accountOf({ ledger, balance }, noMovements, now)
  return { ...rotation, from: { ...rotation.from, balanceXlm: account.balanceXlm }, account }
}

interface Pass {
  readonly ledgers: Ledgers
  /** The funds that this pass sent from the old sponsor. */
  readonly swept: Swept
  readonly hasMerged: boolean
}

/**
 * The rotation with the sums as of now, where this pass sent something or is about to end it. The end waits for a minute for endpoints
 * that answer with a balance before they have its events; then the sums are what the passes noted. Throws `RpcError`.
 */
export async function keepBooks(
  rotation: Rotation,
  { ledgers, swept, hasMerged }: Pass,
): Promise<{ readonly rotation: Rotation; readonly swept: Swept }> {
  const isEnd = rotation.phase === 'Sweeping' && swept.isDone
  const isOpen = hasBothSponsors(rotation) && rotation.account !== undefined
  const isDue = isEnd || swept.hash !== undefined || hasMerged || areOld(rotation, ledgers.now)
  const exact = isOpen && isDue ? await withMovements(rotation, ledgers) : undefined
  const isFresh = ledgers.now - Date.parse(rotation.since) < PATIENCE_MS
  if (isEnd && isOpen && !exact && isFresh) {
    const waits = 'The ledger is read for what became of the XLM of the old sponsor.'
    return { rotation, swept: { ...swept, isDone: false, waits } }
  }
  const sums = exact ?? rotation
  return { rotation: isEnd ? withLosses(sums, exact !== undefined) : sums, swept }
}

const areOld = ({ account }: Rotation, now: number): boolean =>
  account !== undefined && now - Date.parse(account.at) > EVERY_MS

/** The rotation with the movements up to now; undefined while no endpoint tells all of them. */
async function withMovements(
  rotation: Rotation,
  { rpc, network, signal, now }: Ledgers,
): Promise<Rotation | undefined> {
  const { account } = rotation
  const [from, to] = [rotation.from.address, rotation.to.address]
  if (!account || from === undefined || to === undefined) return undefined
  const start = { ledger: account.ledger, balance: stroopsFromLumens(account.balanceXlm) }
  const end = await balanceAt(rpc, from, signal)
  const between = { from, to, passphrase: passphrases[network], start, end }
  const moved = await movementsBetween(rpc, between, signal)
  if (!moved) return undefined
  const sums = addMovements(movementsIn(account), moved)
  const sweptXlm = sums.swept > 0n ? { sweptXlm: decimalXlm(sums.swept) } : {}
  return { ...rotation, ...sweptXlm, account: accountOf(end, sums, now) }
}

const movementsIn = ({ receivedXlm, sweptXlm, takenXlm, feesXlm }: Account): Movements => ({
  received: stroopsFromLumens(receivedXlm),
  swept: stroopsFromLumens(sweptXlm),
  taken: stroopsFromLumens(takenXlm),
  fees: stroopsFromLumens(feesXlm),
})

const accountOf = ({ ledger, balance }: BalanceAt, sums: Movements, now: number): Account => ({
  ledger,
  at: isoTime(now),
  balanceXlm: decimalXlm(balance),
  receivedXlm: decimalXlm(sums.received),
  sweptXlm: decimalXlm(sums.swept),
  takenXlm: decimalXlm(sums.taken),
  feesXlm: decimalXlm(sums.fees),
})
