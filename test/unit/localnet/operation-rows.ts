/** People, assets and rows for tests of operations: one network that all rows of a file share. */
import { Asset, type Keypair, Operation } from '@stellar/stellar-sdk'
import { beforeAll, expect, test } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import {
  apply,
  build,
  codes,
  fund,
  key,
  type Op,
  openNetwork,
  outcome,
  trustline,
} from './harness.ts'

export const [alice, bob, carol, poor, issuer, stranger, dave] = [1, 2, 3, 4, 5, 6, 7].map(key) as [
  Keypair,
  Keypair,
  Keypair,
  Keypair,
  Keypair,
  Keypair,
  Keypair,
]
export const own = new Asset('OWN', issuer.publicKey())

export interface Row {
  readonly when: string
  readonly operations: readonly Op[]
  readonly source?: Keypair
  readonly signers?: readonly Keypair[]
  readonly answers: readonly string[]
}

export interface World {
  readonly net: Localnet
  readonly submitted: (parts: Omit<Row, 'when' | 'answers'>) => ReturnType<typeof build>
  readonly succeed: (
    operations: readonly Op[],
    source?: Keypair,
    signers?: readonly Keypair[],
  ) => Promise<AppliedTransaction>
  /** A refused transaction must leave no trace but its fee and its sequence number. */
  readonly refuses: (rows: readonly Row[]) => void
}

/** Alice and Bob hold OWN, Carol trusts it without holding any, Poor has nothing to spare. */
export function sharedWorld(): World {
  const { net } = openNetwork()
  const submitted: World['submitted'] = ({ operations, source = alice, signers }) =>
    build(net, { source, operations, fee: '10000', ...(signers && { signers }) })
  const succeed: World['succeed'] = async (operations, source = alice, signers = [source]) => {
    const applied = await apply(net, submitted({ operations, source, signers }))
    expect(codes(applied.resultXdr)[0]).toBe('txSuccess')
    return applied
  }
  const refuses = (rows: readonly Row[]) =>
    test.each(rows)('answers $answers when $when', async ({ answers, ...row }) => {
      const held = trustline(net, alice, own)?.balance
      expect(await outcome(net, submitted(row))).toEqual(answers)
      expect(trustline(net, alice, own)?.balance).toBe(held)
    })
  beforeAll(async () => {
    await fund(net, [alice, bob, carol, issuer, dave])
    await fund(net, [poor], 1n)
    // Its reserve and some fees, but no further entry.
    await succeed([pay(poor.publicKey(), '0.2')])
    const lines = [alice, bob, carol].map((it) =>
      Operation.changeTrust({ asset: own, source: it.publicKey(), limit: '1000' }),
    )
    const gifts = [alice, bob].map((it) => pay(it.publicKey(), '100', own, issuer))
    await succeed([...lines, ...gifts], alice, [alice, bob, carol, issuer])
  })
  return { net, submitted, succeed, refuses }
}

export const create = (destination: Keypair, startingBalance: string): Op =>
  Operation.createAccount({ destination: destination.publicKey(), startingBalance })

export const pay = (
  destination: string,
  amount: string,
  asset = Asset.native(),
  source?: Keypair,
): Op =>
  Operation.payment({
    destination,
    amount,
    asset,
    ...(source && { source: source.publicKey() }),
  })

export const trust = (asset: Asset, limit = '1000'): Op => Operation.changeTrust({ asset, limit })

export const begin = (sponsored: Keypair): Op =>
  Operation.beginSponsoringFutureReserves({ sponsoredId: sponsored.publicKey() })

export const end = (sponsored: Keypair): Op =>
  Operation.endSponsoringFutureReserves({ source: sponsored.publicKey() })

export const merge = (into: Keypair): Op =>
  Operation.accountMerge({ destination: into.publicKey() })
