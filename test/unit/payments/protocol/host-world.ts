import {
  Asset,
  encodeMuxedAccountToAddress,
  Keypair,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import { xdrFields } from '../../../../src/localnet/rpc/reads/xdr-fields.ts'
import { stateChanges } from '../../../../src/localnet/rpc/simulate/state-changes.ts'
import type { StoredEntry } from '../../../../src/localnet/soroban/instance.ts'
import { checkPayment } from '../../../../src/payments/checks/check-payment.ts'
import {
  checkSimulation,
  type SimulationTerms,
} from '../../../../src/payments/checks/check-simulation.ts'
import type { PaymentPolicy } from '../../../../src/payments/protocol/policy.ts'
import type { Payment } from '../../../../src/payments/schemes/scheme.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Simulation } from '../../../../src/stellar/rpc/rpc.ts'
import { simulationAnswer } from '../../../../src/stellar/rpc/rpc-answers.ts'
import { readNetworkLimits } from '../../../../src/stellar/transactions/network-limits.ts'
import { simulationEnvelope } from '../../../../src/stellar/transactions/settlement-envelope.ts'
import { type Greed, greedyAccountWasm } from '../../../support/greedy-account.ts'
import { policyAccountArgs } from '../../../support/policy-account.ts'
import {
  address,
  deployAsset,
  deployCode,
  deployFixture,
  call as hostCall,
  i128,
  nextSeed,
  run,
  signAuth,
  source,
  u32,
} from '../../localnet/soroban/invocation.ts'
import { accountId, keypair, passphrase, TestLedger } from '../../localnet/soroban/test-ledger.ts'
import { surgery } from './ledger-surgery.ts'
import {
  callOf,
  type EntryOptions,
  request,
  policy as testnetPolicy,
  transaction,
  unsignedEntry,
} from './payment-builder.ts'

export const [payer, seller, issuer, stranger] = ['payer', 'seller', 'issuer', 'stranger'].map(
  keypair,
) as [Keypair, Keypair, Keypair, Keypair]
export const usdc = new Asset('USDC', issuer.publicKey())
export const token = usdc.contractId(passphrase)

export const policy: PaymentPolicy = {
  ...testnetPolicy,
  passphrase,
  assets: new Map([[token, { contract: token, symbol: 'USDC', decimals: 7 }]]),
  isOwnAccount: () => false,
}

/** `openHost` opens it. */
export let ledger: TestLedger

/** `openHost` adds the limits of the network. */
export let terms: SimulationTerms = { secondsPerLedger: 5, inclusionFee: asStroops(100n) }

/** The entries of the opened ledger: the host deploys the asset once. */
let opened: readonly (readonly [string, StoredEntry])[] | undefined

/** Opens a ledger on the real host with the accounts of the tests; call it before each test. */
export async function openHost(): Promise<void> {
  ledger = new TestLedger()
  terms = { ...terms, limits: (await readNetworkLimits({ ledgerEntries })).transaction }
  if (opened) {
    for (const [key, entry] of opened) ledger.entries.set(key, { ...entry })
    return
  }
  for (const keys of [source, payer, seller, issuer]) ledger.createAccount(keys)
  ledger.createTrustline(payer, usdc, 500_0000000n)
  ledger.createTrustline(seller, usdc, 0n)
  await deployAsset(ledger, usdc)
  opened = [...ledger.entries].map(([key, entry]) => [key, { ...entry }])
}

export interface PaymentOptions extends EntryOptions {
  from?: string
  payTo?: string
  amount?: bigint
  /** `nobody`: the entry stays as `options.signature` makes it. */
  signer?: Keypair | 'nobody'
}

export async function payment({
  from = payer.publicKey(),
  payTo = seller.publicKey(),
  amount = 100_000n,
  signer = payer,
  ...options
}: PaymentOptions = {}): Promise<Payment> {
  const args = [address(from), nativeToScVal(payTo, { type: 'address' }), i128(amount)]
  const call = callOf({ contract: token, args })
  const expirationLedger = options.expirationLedger ?? ledger.sequence + 10
  const unsigned = unsignedEntry({ ...options, address: from, call, expirationLedger })
  const signed =
    signer === 'nobody'
      ? unsigned.toXdr()
      : await signAuth(unsigned.toXdr(), signer, expirationLedger)
  const auth = [xdr.SorobanAuthorizationEntry.fromXdr(signed)]
  const verdict = checkPayment(
    await request({
      transaction: await transaction({ call, auth }),
      terms: { asset: token, payTo, amount: String(amount) },
    }),
    policy,
    'settle',
  )
  if (!verdict.ok) throw new Error(verdict.refusal.message)
  return verdict.payment
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** As an RPC endpoint reads them. */
const ledgerEntries = async (keys: readonly string[]) => ({
  latestLedger: ledger.sequence,
  entries: keys.flatMap((key) => {
    const stored = ledger.entries.get(Buffer.from(key, 'base64').toString('hex'))
    if (!stored) return []
    return [{ key, xdr: xdr.LedgerEntry.fromXdr(stored.entry).data.toXdr('base64') }]
  }),
})

/** As an RPC endpoint answers it. */
export function simulate({ invocation, authority }: Payment): Simulation {
  const envelope = xdr.TransactionEnvelope.fromXdr(
    simulationEnvelope(invocation, authority?.address),
    'base64',
  )
  const body = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.operations[0]?.body : undefined
  if (body?.type !== 'invokeHostFunction') throw new Error('not an invocation')
  const { hostFunction, auth } = body.invokeHostFunctionOp
  const output = ledger.host.simulate({
    ledger: ledger.context,
    hostFunction: hostFunction.toXdr(),
    source: accountId(authority ? Keypair.fromPublicKey(authority.address) : source).toXdr(),
    mode: 'enforce',
    auth: auth.map((entry) => entry.toXdr()),
    seed: nextSeed(),
  })
  const data = output.transactionData
  return simulationAnswer.parse({
    latestLedger: ledger.sequence,
    events: output.diagnostics.map(base64),
    ...(data && {
      transactionData: base64(data),
      minResourceFee: String(xdr.SorobanTransactionData.fromXdr(data).resourceFee),
    }),
    ...(output.result.ok
      ? { results: [{ xdr: base64(output.result.value) }] }
      : { error: output.result.failure.text }),
    ...stateChanges(output.changes, xdrFields('base64')),
  })
}

export const check = (given: Payment) => checkSimulation(given, simulate(given), terms, policy)

export const refusalOf = (given: Payment) => {
  const verdict = check(given)
  return verdict.ok ? undefined : verdict.refusal
}

export const muxedSeller = encodeMuxedAccountToAddress(
  xdr.MuxedAccount.keyTypeMuxedEd25519(
    new xdr.MuxedAccountMed25519({ id: 42n, ed25519: seller.rawPublicKey() }),
  ),
)

export const { retrust, removeTrustline, removeAccount } = surgery(() => ledger, usdc)

export async function smartAccount(mode: 'quiet' | 'loud' | 'ringing'): Promise<string> {
  const bell = await deployFixture(ledger, 'bell')
  return funded(
    await deployFixture(
      ledger,
      'smart-account',
      xdr.ScVal.scvBytes(payer.rawPublicKey()),
      u32({ quiet: 0, loud: 1, ringing: 2 }[mode]),
      address(bell),
    ),
  )
}

/** A smart account whose policy limits what it spends to 10 USDC, and emits an event. */
export async function policyAccount({
  eventName,
  signer = payer,
}: {
  eventName?: string
  signer?: Keypair | 'nobody'
} = {}): Promise<string> {
  const name = eventName === undefined ? xdr.ScVal.scvVoid() : xdr.ScVal.scvSymbol(eventName)
  const policy = await deployFixture(ledger, 'spending-policy', name)
  const args = policyAccountArgs(signer === 'nobody' ? undefined : signer, {
    contract: token,
    policies: [policy],
  })
  return funded(await deployFixture(ledger, 'policy-account', ...args, i128(10_0000000n)))
}

export const greedyAccount = async (greed: Greed): Promise<string> =>
  funded(await deployCode(ledger, greedyAccountWasm(greed)))

async function funded(account: string): Promise<string> {
  const from = address(payer.publicKey())
  const fund = hostCall(token, 'transfer', from, address(account), i128(100_0000000n))
  await run(ledger, fund, payer)
  return account
}
