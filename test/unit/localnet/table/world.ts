/** The ledger that every row starts from. */
import { Operation } from '@stellar/stellar-sdk'
import { encodeAccount } from '../../../../src/localnet/ledger/account.ts'
import type { EntryKey, EntryRecord } from '../../../../src/localnet/ledger/entry-store.ts'
import { accountKey } from '../../../../src/localnet/ledger/keys.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import type { NetworkSnapshot } from '../../../../src/localnet/snapshot/snapshot.ts'
import { account, apply, build, codes, fund, idOf, openNetwork } from '../harness.ts'
import {
  addressOf,
  alice,
  bob,
  carol,
  dave,
  erin,
  issuer,
  OWN,
  poor,
  UNIT,
  WRD,
  warden,
} from './people.ts'
import type { Doctored, Envelope, Parts } from './row.ts'

export const STARTING_BALANCE = 1_000n * UNIT
/** The reserve of an account, and 10,000 stroops for fees. */
export const POOR_BALANCE = UNIT + 10_000n

export interface World {
  readonly net: Localnet
  /** To go back to before each row. */
  readonly start: NetworkSnapshot
}

const [REQUIRED, REVOCABLE, CLAWBACK] = [1, 2, 8] as const
const limit = '1000'

/** Alice and Bob hold 100 OWN, Carol none; Alice holds 50 WRD, Carol 5 frozen, Bob may not hold any. */
export async function openWorld(): Promise<World> {
  const { net } = openNetwork()
  await fund(net, [alice, bob, carol, dave, erin, issuer, warden], STARTING_BALANCE / UNIT)
  await net.closeLedger()
  const gift = net.faucet({ address: addressOf(poor), asset: 'XLM', amount: POOR_BALANCE })
  await net.closeLedger()
  await gift
  for (const step of steps) await succeed(net, step)
  await net.closeLedger()
  return { net, start: await net.snapshot() }
}

const steps: readonly Parts[] = [
  {
    source: warden,
    // Three flags at once: what the SDK calls a flag is one of them.
    operations: [REQUIRED, REVOCABLE, CLAWBACK].map((setFlags) =>
      Operation.setOptions({ setFlags }),
    ),
  },
  {
    operations: [alice, bob, carol].flatMap((holder) =>
      [OWN, WRD].map((asset) => Operation.changeTrust({ asset, limit, source: addressOf(holder) })),
    ),
    signers: [alice, bob, carol],
  },
  {
    source: issuer,
    operations: [alice, bob].map((holder) =>
      Operation.payment({ destination: addressOf(holder), asset: OWN, amount: '100' }),
    ),
  },
  {
    source: warden,
    operations: [
      authorize(alice, { authorized: true }),
      authorize(carol, { authorized: true }),
      Operation.payment({ destination: addressOf(alice), asset: WRD, amount: '50' }),
      Operation.payment({ destination: addressOf(carol), asset: WRD, amount: '5' }),
      authorize(carol, { authorized: false, authorizedToMaintainLiabilities: true }),
    ],
  },
]

function authorize(
  holder: typeof alice,
  flags: Parameters<typeof Operation.setTrustLineFlags>[0]['flags'],
) {
  return Operation.setTrustLineFlags({ trustor: addressOf(holder), asset: WRD, flags })
}

export function transactionOf(net: Localnet, parts: Parts) {
  const { source = alice, rate = 100n, conditions, ...others } = parts
  return build(net, {
    ...others,
    source,
    fee: rate.toString(),
    ...(conditions && { conditions: (builder) => conditions(builder, net) }),
  })
}

export async function succeed(net: Localnet, step: Parts | Envelope): Promise<void> {
  const sent = 'toEnvelope' in step ? step : transactionOf(net, step)
  const { resultXdr } = await apply(net, sent)
  const told = codes(resultXdr)
  if (told[0] !== 'txSuccess') throw new Error(`what was given failed: ${told.join(' ')}`)
}

/** The same ledger with some accounts changed by hand. */
export function doctor(
  net: Localnet,
  snapshot: NetworkSnapshot,
  doctored: readonly Doctored[],
): NetworkSnapshot {
  const entries = new Map<EntryKey, EntryRecord>(snapshot.entries)
  for (const { who, ...changes } of doctored) {
    const present = account(net, who)
    if (!present) throw new Error(`${addressOf(who)} has no account to change`)
    const entry = encodeAccount({ ...present, ...changes }, snapshot.state.sequence)
    entries.set(accountKey(idOf(who)), { entry })
  }
  return { ...snapshot, entries: [...entries] }
}
