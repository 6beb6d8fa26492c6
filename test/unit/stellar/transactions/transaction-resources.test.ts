import { SorobanDataBuilder } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { readClientEnvelope } from '../../../../src/stellar/transactions/client-envelope.ts'
import { buildSettlement } from '../../../../src/stellar/transactions/settlement-envelope.ts'
import { settlementResources } from '../../../../src/stellar/transactions/transaction-resources.ts'
import { transaction } from '../../payments/protocol/payment-builder.ts'

const [channel, sponsor] = [1, 2].map((seed) => signerFromSeed(new Uint8Array(32).fill(seed)))
const output = { emittedBytes: 500, dataEntryBytes: 200, codeEntryBytes: 100 }

test('what a settlement declares is known before it has a channel', async () => {
  const invocation = readClientEnvelope(await transaction()).operations[0]?.invocation
  if (!invocation || !channel || !sponsor) throw new Error('no invocation')
  const transactionData = new SorobanDataBuilder()
    .setResources(1_000, 400, 300)
    .setResourceFee(40_000)
    .build()
    .toXdr('base64')
  const { resources } = await buildSettlement({
    ...{ network: 'stellar:testnet', invocation, transactionData, channel, sponsor },
    ...{ sequence: 77n, inclusionFee: asStroops(150n), maxTime: 1_800_000_000n, maxLedger: 4_321 },
  })
  const { transactions: _, ...declared } = resources
  expect(settlementResources(invocation, { transactionData, output }, false)).toEqual({
    ...{ ...declared, ...output, footprintEntries: 0, keyBytes: 0 },
  })
})
