/** Creates accounts with balances, all in one ledger. */
import { Keypair } from '@stellar/stellar-sdk'
import type { Localnet } from '../../src/localnet/network.ts'

const UNIT = 10_000_000n

/** Whole units of each asset; without lumens an account gets 10,000. */
export interface Funds {
  readonly lumens?: bigint
  /** 0 makes a trustline only. */
  readonly usdc?: bigint
}

/** Creates one account per entry, in order. Closes a ledger. */
export async function fundedAccounts(
  network: Localnet,
  funds: readonly Funds[],
): Promise<Keypair[]> {
  const keys = funds.map(() => Keypair.random())
  const gifts = keys.flatMap((key, index) => {
    const { lumens = 10_000n, usdc } = funds[index] ?? {}
    const address = key.publicKey()
    const money = [{ address, asset: 'XLM' as const, amount: lumens * UNIT }]
    // The faucet pays at least one unit, and creates the trustline with it.
    return usdc === undefined
      ? money
      : [...money, { address, asset: 'USDC' as const, amount: usdc * UNIT || 1n }]
  })
  const given = gifts.map((gift) => network.faucet(gift))
  await network.closeLedger()
  await Promise.all(given)
  return keys
}
