import { Deployer } from '../../support/contracts.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, type PaymentPlan, payment, type Wallet } from '../../support/payments.ts'
import type { Stack, StackOptions } from '../../support/stack.ts'

/** A facilitator on a network, with somebody who can pay and somebody who can be paid. */
export interface World extends AsyncDisposable {
  readonly stack: Stack
  readonly deployer: Deployer
  /** Holds 10 USDC. */
  readonly payer: Wallet
  readonly seller: Wallet
  /** Accounts of the facilitator. */
  readonly sponsor: string
  readonly channel: string
  /** Of the payer to the seller where the plan says nothing else. */
  pay(plan?: Partial<PaymentPlan>): ReturnType<typeof payment>
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
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}
