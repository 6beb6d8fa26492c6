import {
  Asset,
  Keypair,
  nativeToScVal,
  Operation,
  rpc,
  SorobanDataBuilder,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callRpc, createWorld, USDC_CONTRACT, type World } from './test-network.ts'

let world: World
let sdk: rpc.Server
beforeAll(async () => {
  world = await createWorld()
  sdk = new rpc.Server(world.server.httpUrl, { allowHttp: true })
})
afterAll(() => world[Symbol.asyncDispose]())

const address = (of: string) => nativeToScVal(of, { type: 'address' })

async function envelope(operations: xdr.Operation[], data?: xdr.SorobanTransactionData) {
  const { source, server } = world
  const builder = new TransactionBuilder(await sdk.getAccount(source.publicKey()), {
    fee: '1000',
    networkPassphrase: server.network.passphrase,
    ...(data ? { sorobanData: data } : {}),
  })
  for (const operation of operations) builder.addOperation(operation)
  return builder.setTimeout(60).build().toXdr()
}

const transfer = (
  amount: bigint,
  to = world.payee.publicKey(),
  auth: xdr.SorobanAuthorizationEntry[] = [],
  operationSource?: string,
) =>
  Operation.invokeContractFunction({
    contract: USDC_CONTRACT,
    function: 'transfer',
    args: [address(world.payer.publicKey()), address(to), nativeToScVal(amount, { type: 'i128' })],
    auth,
    ...(operationSource && { source: operationSource }),
  })

const simulate = async (params: Record<string, unknown>) => {
  const { result } = await callRpc(world.server.httpUrl, 'simulateTransaction', params)
  return result ?? {}
}

const credentialsOf = (result: Record<string, unknown>): string[] => {
  const [first] = xdrTexts(result['results'], 'auth')
  return (first ?? []).map(
    (text) => xdr.SorobanAuthorizationEntry.fromXdr(text, 'base64').credentials.type,
  )
}

function xdrTexts(list: unknown, member: string): string[][] {
  if (!Array.isArray(list)) return []
  return list.map((row) => (Array.isArray(row[member]) ? row[member].map(String) : []))
}

describe('simulateTransaction', () => {
  it('returns the cost, changes and result of a transfer, on the latest ledger', async () => {
    const result = await simulate({ transaction: await envelope([transfer(5n)]) })
    const data = xdr.SorobanTransactionData.fromXdr(String(result['transactionData']), 'base64')
    expect(result['minResourceFee']).toBe(String(data.resourceFee))
    expect(result['latestLedger']).toBe(world.server.network.latest.sequence)
    expect(result['results']).toMatchObject([{ xdr: xdr.ScVal.scvVoid().toXdr('base64') }])
    expect(result['stateChanges']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'updated', before: expect.any(String) }),
        expect.objectContaining({ type: 'created', before: null, after: expect.any(String) }),
      ]),
    )
    expect(result).not.toHaveProperty('error')
    expect(result).not.toHaveProperty('restorePreamble')
  })

  it('records the requested credentials', async () => {
    const transaction = await envelope([transfer(5n)])
    expect(credentialsOf(await simulate({ transaction }))).toEqual(['sorobanCredentialsAddress'])
    expect(credentialsOf(await simulate({ transaction, useUpgradedAuth: true }))).toEqual([
      'sorobanCredentialsAddressV2',
    ])
  })

  it('adds the requested instruction leeway, and its price', async () => {
    const transaction = await envelope([transfer(5n)])
    const read = async (instructionLeeway: number) => {
      const result = await simulate({ transaction, resourceConfig: { instructionLeeway } })
      return xdr.SorobanTransactionData.fromXdr(String(result['transactionData']), 'base64')
    }
    const [usual, more] = [await read(0), await read(10_000_000)]
    const added = more.resources.instructions - usual.resources.instructions
    expect(added).toBeGreaterThan(9_000_000)
    expect(more.resourceFee).toBeGreaterThan(usual.resourceFee)
  })

  it('explains a failed call with the event log, newest first', async () => {
    const stranger = Keypair.random().publicKey()
    const result = await simulate({ transaction: await envelope([transfer(5n, stranger)]) })
    const lines = String(result['error']).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      'HostError: Error(Contract, #13)',
      '',
      'Event log (newest first):',
    ])
    expect(lines[3]).toBe(
      `   0: [Diagnostic Event] contract:${USDC_CONTRACT}, topics:[error, Error(Contract, #13)], data:["trustline entry is missing for account", ${stranger}]`,
    )
    expect(result['events']).toHaveLength(lines.filter((line) => /^ +\d+: /.test(line)).length)
    expect(result).not.toHaveProperty('transactionData')
  })

  it('enforces the authorization entries of the transaction', async () => {
    const [entry] = xdrTexts(
      (await simulate({ transaction: await envelope([transfer(5n)]) }))['results'],
      'auth',
    ).flat()
    const unsigned = xdr.SorobanAuthorizationEntry.fromXdr(String(entry), 'base64')
    const transaction = await envelope([transfer(5n, undefined, [unsigned])])
    expect((await simulate({ transaction }))['error']).toMatch(/^HostError: Error\(Auth, /)
    expect((await simulate({ transaction, authMode: 'record' }))['error']).toBe(
      "cannot set authMode to 'record' with an auth footprint",
    )
  })

  it("takes the operation's source for the source account, and without one the transaction's", async () => {
    const payer = world.payer.publicKey()
    const called = (...auth: xdr.SorobanAuthorizationEntry[]) =>
      envelope([transfer(5n, undefined, auth, payer)])
    const recorded = await simulate({ transaction: await called() })
    expect(credentialsOf(recorded)).toEqual(['sorobanCredentialsSourceAccount'])
    const [text] = xdrTexts(recorded['results'], 'auth').flat()
    const entry = xdr.SorobanAuthorizationEntry.fromXdr(String(text), 'base64')
    expect(await simulate({ transaction: await called(entry) })).not.toHaveProperty('error')
    const withoutSource = await envelope([transfer(5n, undefined, [entry])])
    expect((await simulate({ transaction: withoutSource }))['error']).toMatch(
      /^HostError: Error\(Auth, /,
    )
  })

  it.each<[string, () => Promise<Record<string, unknown>>, string]>([
    ['no transaction', async () => ({ transaction: 'AAAA' }), 'Could not unmarshal transaction'],
    [
      'two operations',
      async () => ({ transaction: await envelope([transfer(1n), transfer(1n)]) }),
      'Transaction contains more than one operation',
    ],
    [
      'a classic operation',
      async () => {
        const asset = Asset.native()
        const destination = world.payee.publicKey()
        const payment = Operation.payment({ destination, asset, amount: '1' })
        return { transaction: await envelope([payment]) }
      },
      'transaction contains unsupported operation type: OperationTypePayment',
    ],
    [
      'an unknown mode',
      async () => ({ transaction: await envelope([transfer(1n)]), authMode: 'trust' }),
      "optional 'authMode' must be one of enforce,record,record_allow_nonroot when included",
    ],
    [
      'a lifetime extension without a footprint',
      async () => ({
        transaction: await envelope([Operation.extendFootprintTtl({ extendTo: 1000 })]),
      }),
      'To perform a SimulateTransaction for ExtendFootprintTtl or RestoreFootprint operations, SorobanTransactionData must be provided',
    ],
    [
      'an unknown format',
      async () => ({ transaction: await envelope([transfer(1n)]), xdrFormat: 'hex' }),
      "got 'hex': expected base64, json for optional 'xdrFormat'",
    ],
  ])('returns the error of %s in the result', async (_, params, error) => {
    expect(await simulate(await params())).toEqual({ error, latestLedger: 0 })
  })

  it('prices the extension of a lifetime', async () => {
    const instance = xdr.LedgerKey.contractData(
      new xdr.LedgerKeyContractData({
        contract: xdr.ScAddress.fromXdr(address(USDC_CONTRACT).toXdr().slice(4)),
        key: xdr.ScVal.scvLedgerKeyContractInstance(),
        durability: xdr.ContractDataDurability.persistent,
      }),
    )
    const data = new SorobanDataBuilder().setReadOnly([instance]).build()
    const extend = Operation.extendFootprintTtl({ extendTo: 3_000_000 })
    const result = await simulate({ transaction: await envelope([extend], data) })
    expect(result['error']).toBeUndefined()
    expect(Number(result['minResourceFee'])).toBeGreaterThan(0)
  })
})
