import { xdr } from '@stellar/stellar-sdk'
import { uptoWasm } from '../../../../../src/localnet/genesis/upto-contract.ts'
import { checkPayment } from '../../../../../src/payments/checks/check-payment.ts'
import { checkSimulation } from '../../../../../src/payments/checks/check-simulation.ts'
import type { PaymentPolicy } from '../../../../../src/payments/protocol/policy.ts'
import type { Payment, Phase } from '../../../../../src/payments/schemes/scheme.ts'
import type { SimulationSuccess } from '../../../../../src/stellar/rpc/rpc.ts'
import { type UptoPlan, uptoPayment } from '../../../../support/upto-payments.ts'
import { deployCode, nextSeed } from '../../../localnet/soroban/invocation.ts'
import { accountId, keypair, passphrase } from '../../../localnet/soroban/test-ledger.ts'
import {
  policy as exactPolicy,
  ledger,
  openHost,
  payer,
  seller,
  simulate,
  terms,
  token,
} from '../../protocol/host-world.ts'

const authority = keypair('authority')

/** `openUpto` sets both. */
export let contract: string
export let policy: PaymentPolicy

/** A ledger on the real host with the settlement contract and an authority; call it before each test. */
export async function openUpto(): Promise<void> {
  await openHost()
  ledger.createAccount(authority)
  contract = await deployCode(ledger, uptoWasm())
  policy = { ...exactPolicy, upto: { contract, authorities: [authority.publicKey()] } }
}

export async function payment(
  { from = payer.publicKey(), ...plan }: Partial<UptoPlan> & { readonly from?: string } = {},
  phase: Phase = 'settle',
): Promise<Payment> {
  const network = { network: { latest: { sequence: ledger.sequence }, passphrase } }
  const service = { contract, authority: authority.publicKey() }
  const wallet = { address: from, key: payer }
  const defaults = { payer: wallet, payTo: seller.publicKey(), asset: token }
  const body = await uptoPayment(network, service, { ...defaults, ...plan })
  const checked = checkPayment(JSON.parse(JSON.stringify(body)), policy, phase)
  if (!checked.ok) throw new Error(`${checked.refusal.code}: ${checked.refusal.message}`)
  return checked.payment
}

export const check = (given: Payment, under = policy) =>
  checkSimulation(given, simulate(given), terms, under)

export function accepted(given: Payment) {
  const checked = check(given)
  if (!checked.ok) throw new Error(`${checked.refusal.code}: ${checked.refusal.message}`)
  return checked.quote
}

const simulated = (given: Payment): SimulationSuccess => {
  const simulation = simulate(given)
  if (simulation.kind !== 'ok') throw new Error(simulation.error)
  return simulation
}

/** Settles it on the ledger. */
export function apply(given: Payment): void {
  const data = xdr.SorobanTransactionData.fromXdr(simulated(given).transactionData, 'base64')
  const output = ledger.host.invoke({
    ledger: ledger.context,
    hostFunction: given.invocation.functionXdr,
    resources: data.resources.toXdr(),
    restored: [],
    source: accountId(authority).toXdr(),
    auth: given.invocation.auth.map((entry) => entry.xdr),
    seed: nextSeed(),
    transactionSize: 800,
  })
  if (output.outcome !== 'success') throw new Error(output.outcome)
  ledger.apply(output.changes)
}

/** Keys of all instances and of all code, hex. */
export const contractKeys = () =>
  [...ledger.entries.keys()].filter((key) => {
    const decoded = xdr.LedgerKey.fromXdr(Buffer.from(key, 'hex'))
    const isInstance =
      decoded.type === 'contractData' &&
      decoded.contractData.key.type === 'scvLedgerKeyContractInstance'
    return isInstance || decoded.type === 'contractCode'
  })
