import { readFileSync } from 'node:fs'
import {
  Address,
  type Asset,
  authorizeEntry,
  hash,
  type Keypair,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import type { InvokeInput, InvokeOutput } from '../../../../src/localnet/soroban/invoke.ts'
import type { AuthMode, SimulateOutput } from '../../../../src/localnet/soroban/simulate.ts'
import { accountId, keypair, passphrase, type TestLedger } from './test-ledger.ts'

export const source = keypair('source')

export const address = (value: string) => nativeToScVal(value, { type: 'address' })
export const i128 = (value: bigint) => nativeToScVal(value, { type: 'i128' })
export const u32 = (value: number) => nativeToScVal(value, { type: 'u32' })

export const call = (contract: string, name: string, ...args: xdr.ScVal[]): xdr.HostFunction =>
  xdr.HostFunction.hostFunctionTypeInvokeContract(
    new xdr.InvokeContractArgs({
      contractAddress: Address.fromString(contract).toScAddress(),
      functionName: name,
      args,
    }),
  )

const addressOf = (who: Keypair | string) =>
  address(typeof who === 'string' ? who : who.publicKey())

/** A transfer of a token. */
export const transferOf = (
  token: string,
  from: Keypair | string,
  to: Keypair | string,
  amount: bigint,
): xdr.HostFunction => call(token, 'transfer', addressOf(from), addressOf(to), i128(amount))

let seeds = 0
/** A new one each time, as recorded nonces derive from it. */
export const nextSeed = (): Uint8Array => {
  seeds += 1
  return hash(Buffer.from(`seed ${seeds}`))
}

interface Options {
  readonly mode?: AuthMode
  readonly upgradedAuth?: boolean
  readonly auth?: readonly Uint8Array[]
}

export const simulate = (
  ledger: TestLedger,
  hostFunction: xdr.HostFunction,
  { mode = 'record', ...options }: Options = {},
): SimulateOutput =>
  ledger.host.simulate({
    ledger: ledger.context,
    hostFunction: hostFunction.toXdr(),
    source: accountId(source).toXdr(),
    mode,
    seed: nextSeed(),
    ...options,
  })

export const transactionData = (output: SimulateOutput): xdr.SorobanTransactionData => {
  if (output.transactionData === undefined) {
    throw new Error(output.result.ok ? 'no data' : output.result.failure.text)
  }
  return xdr.SorobanTransactionData.fromXdr(output.transactionData)
}

/** Signs as `signer`, for any payer. */
export const signAuth = async (
  entry: Uint8Array,
  signer: Keypair,
  validUntil: number,
): Promise<Uint8Array> => {
  const sign = async (_: xdr.HashIdPreimage, payload: Uint8Array) => ({
    signature: signer.sign(payload),
    publicKey: signer.publicKey(),
  })
  const unsigned = xdr.SorobanAuthorizationEntry.fromXdr(entry)
  return (await authorizeEntry(unsigned, sign, validUntil, passphrase)).toXdr()
}

/** An invocation ready to apply: recorded, signed by one key, and simulated with enforcement. */
export const prepare = async (
  ledger: TestLedger,
  hostFunction: xdr.HostFunction,
  signer: Keypair = source,
  options: Pick<Options, 'upgradedAuth'> = {},
): Promise<InvokeInput> => {
  const recorded = simulate(ledger, hostFunction, options)
  transactionData(recorded)
  const auth = await Promise.all(
    recorded.auth.map((entry) =>
      xdr.SorobanAuthorizationEntry.fromXdr(entry).credentials.type ===
      'sorobanCredentialsSourceAccount'
        ? entry
        : signAuth(entry, signer, ledger.sequence + 100),
    ),
  )
  const enforced = simulate(ledger, hostFunction, { mode: 'enforce', auth })
  return {
    ledger: ledger.context,
    hostFunction: hostFunction.toXdr(),
    resources: transactionData(enforced).resources.toXdr(),
    restored: enforced.restored,
    source: accountId(source).toXdr(),
    auth,
    seed: nextSeed(),
    transactionSize: 800,
  }
}

/** The invocation, declaring other resources. */
export const declare = (
  input: InvokeInput,
  changes: Partial<ConstructorParameters<typeof xdr.SorobanResources>[0]>,
): InvokeInput => {
  const resources = xdr.SorobanResources.fromXdr(input.resources)
  return { ...input, resources: new xdr.SorobanResources({ ...resources, ...changes }).toXdr() }
}

export type Success = Extract<InvokeOutput, { outcome: 'success' }>

export const expectSuccess = (output: InvokeOutput): Success => {
  if (output.outcome === 'success') return output
  const failure = 'failure' in output ? output.failure : undefined
  throw new Error(`${output.outcome}: ${failure?.text ?? JSON.stringify(output)}`)
}

/** Prepares, applies and commits. */
export const run = async (
  ledger: TestLedger,
  hostFunction: xdr.HostFunction,
  signer: Keypair = source,
): Promise<Success> => {
  const output = ledger.host.invoke(await prepare(ledger, hostFunction, signer))
  const success = expectSuccess(output)
  ledger.apply(success.changes)
  return success
}

export const deployAsset = async (ledger: TestLedger, asset: Asset): Promise<string> => {
  const { value } = await run(
    ledger,
    xdr.HostFunction.hostFunctionTypeCreateContract(
      new xdr.CreateContractArgs({
        contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAsset(asset.toXdrObject()),
        executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
      }),
    ),
  )
  return Address.fromScVal(xdr.ScVal.fromXdr(value)).toString()
}

export const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../fixtures/contracts/${name}/${name}.wasm`, import.meta.url))

/** Uploads a fixture and creates a contract from it. */
export const deployFixture = (
  ledger: TestLedger,
  name: string,
  ...constructorArgs: xdr.ScVal[]
): Promise<string> => deployCode(ledger, fixture(name), ...constructorArgs)

/** Uploads Wasm and creates a contract from it. */
export const deployCode = async (
  ledger: TestLedger,
  wasm: Uint8Array,
  ...constructorArgs: xdr.ScVal[]
): Promise<string> => {
  await run(ledger, xdr.HostFunction.hostFunctionTypeUploadContractWasm(wasm))
  const preimage = new xdr.ContractIdPreimageFromAddress({
    address: Address.fromString(source.publicKey()).toScAddress(),
    salt: nextSeed(),
  })
  const { value } = await run(
    ledger,
    xdr.HostFunction.hostFunctionTypeCreateContractV2(
      new xdr.CreateContractArgsV2({
        contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAddress(preimage),
        executable: xdr.ContractExecutable.contractExecutableWasm(hash(wasm)),
        constructorArgs,
      }),
    ),
  )
  return Address.fromScVal(xdr.ScVal.fromXdr(value)).toString()
}
