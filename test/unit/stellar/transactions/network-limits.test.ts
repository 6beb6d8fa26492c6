import { xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { Localnet } from '../../../../src/localnet/network.ts'
import { transactionsWithin } from '../../../../src/stellar/transactions/ledger-resources.ts'
import { readNetworkLimits } from '../../../../src/stellar/transactions/network-limits.ts'

const rpcOf = (network: Localnet) => ({
  ledgerEntries: async (keys: readonly string[]) => ({
    entries: keys.flatMap((key) => {
      const stored = network.entry(Buffer.from(key, 'base64'))
      if (!stored) return []
      return [{ key, xdr: xdr.LedgerEntry.fromXdr(stored.entry).data.toXdr('base64') }]
    }),
    latestLedger: 1,
  }),
})

test("reads a ledger's limits from the settings of the network", async () => {
  const { ledger: limits } = await readNetworkLimits(rpcOf(new Localnet({ ledgerMaxTxCount: 6 })))
  expect(limits).toEqual({
    transactions: 6,
    transactionBytes: 266_240,
    instructions: 1_160_000_000,
    diskReads: 1_000,
    diskReadBytes: 400_000,
    writes: 1_000,
    writeBytes: 286_720,
  })
  expect(transactionsWithin(limits, { ...limits, writes: 400, transactions: 2 })).toBe(1)
})

test("reads a transaction's limits", async () => {
  const { transaction } = await readNetworkLimits(rpcOf(new Localnet()))
  expect(transaction).toEqual({
    transactionBytes: 132_096,
    instructions: 400_000_000,
    diskReads: 200,
    diskReadBytes: 200_000,
    writes: 200,
    writeBytes: 132_096,
    footprintEntries: 400,
    keyBytes: 250,
    emittedBytes: 16_384,
    dataEntryBytes: 65_536,
    codeEntryBytes: 131_072,
  })
})

test('rejects when the network lacks a setting', async () => {
  const rpc = { ledgerEntries: async () => ({ entries: [], latestLedger: 1 }) }
  await expect(readNetworkLimits(rpc)).rejects.toThrow('configSettingContractExecutionLanes')
})
