import { createHash } from 'node:crypto'
import { Asset, hash, xdr } from '@stellar/stellar-sdk'
import { expect, test, vi } from 'vitest'
import { SorobanHost } from '../../../../src/localnet/soroban/host.ts'
import { HostCallError } from '../../../../src/localnet/soroban/host-call-error.ts'
import {
  address,
  call,
  declare,
  deployAsset,
  deployFixture,
  expectSuccess,
  fixture,
  prepare,
  run,
  simulate,
  source,
  transferOf,
  u32,
} from './invocation.ts'
import { accountId, keypair, TestLedger } from './test-ledger.ts'

const payee = keypair('payee')

/** Thousands of calls take a second, or many seconds on a busy machine. */
const patient = { timeout: 240_000 }

const newLedger = () => new TestLedger(source, payee)

/** Different bytes of the same behaviour: a custom section with a number is appended. */
const variant = (wasm: Uint8Array, number: number): Uint8Array => {
  const content = Buffer.from(`\u0007variant${String(number).padStart(6, '0')}`)
  return Buffer.concat([wasm, Buffer.of(0, content.length), content])
}

test('memory stays flat over thousands of calls', patient, async () => {
  const ledger = newLedger()
  const native = await deployAsset(ledger, Asset.native())
  const transfer = transferOf(native, source, payee, 1n)
  const input = await prepare(ledger, transfer)
  const round = () => {
    simulate(ledger, transfer)
    simulate(ledger, call(native, 'nope'))
    expectSuccess(ledger.host.invoke(input))
  }
  for (let i = 0; i < 50; i += 1) round()
  const before = ledger.host.memoryBytes
  for (let i = 0; i < 700; i += 1) round()
  expect(ledger.host.memoryBytes).toBe(before)
})

test('memory stays bounded over hundreds of different contracts', patient, async () => {
  const ledger = newLedger()
  const contract = await deployFixture(ledger, 'trick-token', u32(0), xdr.ScVal.scvVoid())
  const input = await prepare(ledger, call(contract, 'decimals'))
  const { readOnly, readWrite } = xdr.SorobanResources.fromXdr(input.resources).footprint
  const [codeKey, instanceKey] = ['contractCode', 'contractData'].map(
    (type) => readOnly.find((key) => key.type === type)!,
  ) as [xdr.LedgerKey, xdr.LedgerKey]
  const put = (key: xdr.LedgerKey, data: xdr.LedgerEntryData) => {
    ledger.put(key, data)
    ledger.setLiveUntil(key.toXdr(), 5000)
  }
  const { contractCode } = dataOf(ledger, codeKey, 'contractCode')
  const { contractData } = dataOf(ledger, instanceKey, 'contractData')
  const { val: own } = contractData
  const storage = own.type === 'scvContractInstance' ? own.instance.storage : null
  const wasm = fixture('trick-token')
  /** Calls the contract as an instance of other code. */
  const useVariant = (number: number) => {
    const code = variant(wasm, number)
    const codeHash = hash(code)
    const key = xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash: codeHash }))
    const entry = new xdr.ContractCodeEntry({ ...contractCode, hash: codeHash, code })
    put(key, xdr.LedgerEntryData.contractCode(entry))
    const executable = xdr.ContractExecutable.contractExecutableWasm(codeHash)
    const instance = new xdr.ScContractInstance({ executable, storage })
    const val = xdr.ScVal.scvContractInstance(instance)
    const changed = new xdr.ContractDataEntry({ ...contractData, val })
    put(instanceKey, xdr.LedgerEntryData.contractData(changed))
    const read = readOnly.map((each) => (each === codeKey ? key : each))
    const footprint = new xdr.LedgerFootprint({ readOnly: read, readWrite })
    return ledger.host.invoke(declare(input, { footprint }))
  }
  for (let i = 0; i < 280; i += 1) expectSuccess(useVariant(i))
  const before = ledger.host.memoryBytes
  for (let i = 280; i < 560; i += 1) expectSuccess(useVariant(i))
  expect(ledger.host.memoryBytes).toBe(before)
})

function dataOf<Type extends xdr.LedgerEntryData['type']>(
  ledger: TestLedger,
  key: xdr.LedgerKey,
  type: Type,
): Extract<xdr.LedgerEntryData, { type: Type }> {
  const { data } = xdr.LedgerEntry.fromXdr(ledger.get(key)!.entry)
  if (data.type !== type) throw new TypeError(data.type)
  return data as Extract<xdr.LedgerEntryData, { type: Type }>
}

/** A simulation of any bytes. */
const attempt = (ledger: TestLedger, hostFunction: Uint8Array) =>
  ledger.host.simulate({
    ledger: ledger.context,
    hostFunction,
    source: accountId(source).toXdr(),
    mode: 'record',
    seed: new Uint8Array(32),
  }).result

test('random bytes are refused or fail, and the next call succeeds', async () => {
  const ledger = newLedger()
  const native = await deployAsset(ledger, Asset.native())
  for (let i = 0; i < 2000; i += 1) {
    const digest = createHash('sha512').update(String(i)).digest()
    const bytes = new Uint8Array(digest.subarray(0, i % 64))
    try {
      const tried = i % 2 === 0 ? bytes : new Uint8Array([0, 0, 0, i % 4, ...bytes])
      expect(attempt(ledger, tried).ok).toBe(false)
    } catch (error) {
      expect(error).toBeInstanceOf(HostCallError)
    }
  }
  expect(ledger.logged).toEqual([])
  await run(ledger, call(native, 'balance', address(payee.publicKey())))
})

/** A call with an argument of this depth. */
const nested = (contract: string, depth: number): Uint8Array => {
  const word = (value: number) => [0, 0, 0, value]
  const head = call(contract, 'nope', xdr.ScVal.scvVoid()).toXdr().slice(0, -4)
  const vec = [...word(16), ...word(1), ...word(1)]
  return new Uint8Array([...head, ...Array.from({ length: depth }, () => vec).flat(), ...word(1)])
}

test.each([10, 100, 400, 1000, 20_000])(
  'a value nested %i deep leaves the host usable',
  async (depth) => {
    const ledger = newLedger()
    const native = await deployAsset(ledger, Asset.native())
    expect(() => {
      const result = attempt(ledger, nested(native, depth))
      if (!result.ok) throw new HostCallError('bad_input', result.failure.text)
    }).toThrow(HostCallError)
    await run(ledger, call(native, 'balance', address(payee.publicKey())))
  },
)

test('after a failure inside a call the next call gets a new instance', () => {
  const ledger = newLedger()
  const getEntry = vi.fn((key: Uint8Array) => ledger.entries.get(Buffer.from(key).toString('hex')))
  const host = SorobanHost.load(getEntry)
  const before = host.costParams()
  getEntry.mockImplementationOnce(() => {
    throw new Error('the ledger is closed')
  })
  const input = { ledger: ledger.context, operation: { kind: 'restore' }, keys: [] } as const
  expect(() => host.simulateTtl(input)).toThrow('the ledger is closed')
  expect(host.simulateTtl(input).length).toBeGreaterThan(0)
  expect(host.costParams()).toEqual(before)
})

test('after a trap inside the host, which is logged, the next call gets a new instance', () => {
  const ledger = newLedger()
  const lines: string[] = []
  let endless = true
  // An entry with a length beyond any memory.
  const tooLong = Object.defineProperty(new Uint8Array(1), 'length', { value: 0xffff_0000 })
  const host = SorobanHost.load(
    (key) => (endless ? { entry: tooLong } : ledger.entries.get(Buffer.from(key).toString('hex'))),
    (line) => lines.push(line),
  )
  const input = { ledger: ledger.context, operation: { kind: 'restore' }, keys: [] } as const
  expect(() => host.simulateTtl(input)).toThrow(WebAssembly.RuntimeError)
  expect(lines).toEqual([expect.stringContaining('capacity overflow')])
  endless = false
  expect(host.simulateTtl(input).length).toBeGreaterThan(0)
})

test('an error of the ledger is thrown unchanged', () => {
  const empty = SorobanHost.load(() => undefined)
  const broken = SorobanHost.load(() => ({ entry: new Uint8Array(3) }))
  const input = { ledger: newLedger().context, operation: { kind: 'restore' }, keys: [] } as const
  expect(() => empty.simulateTtl(input)).toThrow(expect.objectContaining({ kind: 'bad_config' }))
  expect(() => broken.simulateTtl(input)).toThrow(expect.objectContaining({ kind: 'bad_config' }))
})
