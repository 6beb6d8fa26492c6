/** Soroban transactions that no ledger takes. Classic ones are in the table. */
import { Asset, type Keypair, Memo, Operation, type Transaction, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it, test } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import {
  account,
  build,
  bytesOf,
  codes,
  fund,
  key,
  openNetwork,
  type TransactionParts,
} from './harness.ts'
import { declaring, type PreparedCall, transferCall } from './soroban-harness.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet
let transfer: PreparedCall

beforeAll(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob])
  transfer = await transferCall(net, {
    from: alice.publicKey(),
    to: bob.publicKey(),
    amount: 1n,
    source: alice,
    asset: Asset.native(),
  })
})

const payment = Operation.payment({
  destination: bob.publicKey(),
  asset: Asset.native(),
  amount: '1',
})

const transaction = (parts: Partial<TransactionParts>): Transaction =>
  build(net, { source: alice, operations: [transfer.operation], ...parts })

type Declared = Parameters<typeof declaring>[1]
const transferDeclaring = (changes: Declared): Transaction =>
  transaction({ sorobanData: declaring(transfer, changes).data })
const tooManyInstructions = () => transferDeclaring({ instructions: 400_000_001 })

describe('a rejected Soroban transaction', () => {
  test.each<[code: string, when: string, make: () => Transaction]>([
    [
      'txMalformed',
      'it has another operation too',
      () => transaction({ operations: [transfer.operation, payment], fee: '200' }),
    ],
    ['txMalformed', 'it declares no resources', () => transaction({})],
    [
      'txSorobanInvalid',
      'it has a memo',
      () => transaction({ sorobanData: transfer.data, memo: Memo.text('hello') }),
    ],
    [
      'txSorobanInvalid',
      'its resource fee is below the cost of its resources',
      () => transferDeclaring({ resourceFee: 1_000n }),
    ],
    ['txSorobanInvalid', 'it declares more instructions than the limit', tooManyInstructions],
  ])('returns %s when %s', async (code, _, make) => {
    const before = account(net, alice)
    const { status, resultXdr = new Uint8Array() } = net.submit(bytesOf(make()))
    expect([status, ...codes(resultXdr)]).toEqual(['ERROR', code])
    await net.closeLedger()
    expect(account(net, alice)).toEqual(before)
  })

  it('has a diagnostic event that names the exceeded limit', () => {
    const { diagnosticEvents = [] } = net.submit(bytesOf(tooManyInstructions()))
    const text = diagnosticEvents.map((it) =>
      JSON.stringify(xdr.DiagnosticEvent.fromXdr(it).toJson()),
    )
    expect(text.join()).toContain('transaction instructions resources exceed network config limit')
  })
})
