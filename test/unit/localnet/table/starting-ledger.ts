/** The ledger that every row starts from. */
import { type Keypair, Operation } from '@stellar/stellar-sdk'
import { encodeAccount } from '../../../../src/localnet/ledger/account.ts'
import {
  type EntryKey,
  type EntryRecord,
  entryKey,
} from '../../../../src/localnet/ledger/entry-record.ts'
import { accountKey } from '../../../../src/localnet/ledger/keys.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import type { NetworkSnapshot } from '../../../../src/localnet/snapshot/snapshot.ts'
import type { FakeClock } from '../../../support/fake-clock.ts'
import { account, apply, codes, fund, give, idOf, openNetwork } from '../harness.ts'
import {
  type AccountName,
  addressOf,
  alice,
  authority,
  bob,
  carol,
  channel,
  dave,
  erin,
  issuer,
  keyOf,
  payer,
  poor,
  REG,
  regulator,
  seller,
  sponsor,
  UNIT,
  USD,
} from './accounts.ts'
import { create, flags, maintainOnly, pay, sponsored, trust } from './operations.ts'
import type { Row } from './row.ts'
import { from, type Send, sendingOf } from './transaction.ts'

export const STARTING_BALANCE = 1_000n * UNIT
/** The reserve of an account, and 10,000 stroops for fees. */
const POOR_BALANCE = UNIT + 10_000n

export interface StartingLedger {
  readonly net: Localnet
  readonly clock: FakeClock
  /** To restore before each row. */
  readonly start: NetworkSnapshot
}

/**
 * alice, bob and carol have lines to both assets. alice and bob hold 100 USD; alice holds 50 REG,
 * carol 5 that are frozen, and bob is not authorized to hold any. payer and seller hold 100 USDC.
 */
export async function openStartingLedger(): Promise<StartingLedger> {
  const { net, clock } = openNetwork()
  const rich = [alice, bob, carol, dave, erin, issuer, regulator, payer, seller, sponsor]
  await fund(net, rich, STARTING_BALANCE / UNIT)
  await fund(net, [payer, seller], 100n, 'USDC')
  await give(net, [{ address: addressOf(poor), asset: 'XLM', amount: POOR_BALANCE }])
  for (const step of steps) await succeed(net, step)
  await net.closeLedger()
  return { net, clock, start: await net.snapshot() }
}

const [REQUIRED, REVOCABLE, CLAWBACK] = [1, 2, 8] as const
const authorized = (holder: Keypair) => flags(holder, { authorized: true })

const steps: readonly Send[] = [
  // Three operations: the SDK takes one flag in each.
  from(
    regulator,
    ...[REQUIRED, REVOCABLE, CLAWBACK].map((setFlags) => Operation.setOptions({ setFlags })),
  ),
  [alice, bob, carol].flatMap((holder) => [USD, REG].map((asset) => trust(asset, '1000', holder))),
  from(issuer, pay(alice, '100', USD), pay(bob, '100', USD)),
  from(
    regulator,
    authorized(alice),
    authorized(carol),
    pay(alice, '50', REG),
    pay(carol, '5', REG),
    flags(carol, maintainOnly),
  ),
  [channel, authority].flatMap((it) => sponsored(sponsor, it, create(it, '0', sponsor))),
]

export async function succeed(net: Localnet, send: Send): Promise<void> {
  const { resultXdr } = await apply(net, await sendingOf(send).build(net))
  const result = codes(resultXdr)
  if (!result.includes('txSuccess')) throw new Error(`the setup failed: ${result.join(' ')}`)
}

/** The same ledger with other fields in some accounts, and some entries expired. */
export function withFields(
  net: Localnet,
  snapshot: NetworkSnapshot,
  { ledger, archived }: Pick<Row, 'ledger' | 'archived'>,
): NetworkSnapshot {
  const entries = new Map<EntryKey, EntryRecord>(snapshot.entries)
  const { sequence } = snapshot.state
  for (const [name, changes] of Object.entries(ledger) as [AccountName, object][]) {
    const id = keyOf(name)
    const present = account(net, id)
    if (!present) throw new Error(`${name} has no account`)
    const entry = encodeAccount({ ...present, ...changes }, sequence)
    entries.set(accountKey(idOf(id)), { entry })
  }
  for (const key of archived.map((it) => entryKey(it.toXdr()))) {
    const present = entries.get(key)
    if (!present) throw new Error('an entry to archive is missing')
    entries.set(key, { ...present, liveUntil: sequence - 1 })
  }
  return { ...snapshot, entries: [...entries] }
}
