import { Deployer } from '../../support/contracts.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, payment, signedEntry } from '../../support/payments.ts'
import type { Parties } from '../../support/refusals/refusal.ts'
import type { Stack, StackOptions } from '../../support/stack.ts'

/** A facilitator on a network, a payer who holds 10 USDC and a seller. */
export interface World extends Parties, AsyncDisposable {
  readonly stack: Stack
  readonly deployer: Deployer
}

export async function openWorld(options: Omit<StackOptions, 'store'> = {}): Promise<World> {
  const stack = await openPaymentStack(options)
  const { localnet } = stack
  const [payer, seller] = await Promise.all([openWallet(localnet), openWallet(localnet, 1n)])
  const channels = stack.facilitator.networks.get('stellar:testnet')?.channels.addresses ?? []
  return {
    stack,
    deployer: new Deployer(localnet),
    payer,
    seller,
    sponsor: stack.sponsor.address,
    channel: channels[0] ?? '',
    pay: (plan = {}) => payment(localnet, { payer, payTo: seller.address, ...plan }),
    authorize: (plan = {}) => signedEntry(localnet, { payer, payTo: seller.address, ...plan }),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}
