import { setTimeout as pause } from 'node:timers/promises'
import { Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import { Deployer } from '../../../test/support/contracts.ts'
import { type PaymentPlan, payment, type Wallet } from '../../../test/support/payments.ts'
import type { Pay } from './load.ts'
import type { HostileWorld } from './world.ts'

export interface Attack {
  readonly name: string
  /** Creates the attacker's accounts for this many requests. */
  readonly prepare: (world: HostileWorld, requests: number) => Promise<PreparedAttack>
}

interface PreparedAttack {
  readonly pay: Pay
  /** Addresses of the attacker's payers; their fees are what the attack costs the sponsor. */
  readonly payers: readonly string[]
  /** How many requests come at once, in multiples of the channels; one by one when absent. */
  readonly burst?: number
  /** Further actions of the attacker, until the signal aborts. */
  readonly meanwhile?: (signal: AbortSignal) => Promise<void>
}

const PRICE = 1_000n
/** On ledgers of one second; the price allows as many. */
const VALID_LEDGERS = 25
const AUTHORIZATIONS_PER_BALANCE = 8
const SMART_ACCOUNTS = 3
/** So that a pause of one of them does not end the attack. */
const ACCOUNTS = 10
/** With it, the transaction stays just below the 64 KiB of base64 that the facilitator reads. */
const FAT_BYTES = 47 * 1_024
/** Seven instructions each, of four units of the network's 400 million for one transaction. */
const ROUNDS = 12_000_000

/** Pays `PRICE`, signed now. */
export const payWith = ({ network }: HostileWorld, plan: PaymentPlan) =>
  payment(network, {
    amount: PRICE,
    expirationLedger: network.network.latest.sequence + VALID_LEDGERS,
    ...plan,
  })

export const openWallets = (
  { wallet }: HostileWorld,
  count: number,
  amount: bigint,
): Promise<Wallet[]> => Promise.all(Array.from({ length: count }, () => wallet(amount)))

export const addressesOf = (wallets: readonly Wallet[]): string[] =>
  wallets.map(({ address }) => address)

const inTurn = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length]
  if (value === undefined) throw new Error('there is nothing to take turns with')
  return value
}

const oneAddress = (name: string, burst: number): Attack => ({
  name,
  prepare: async (world, requests) => {
    const payer = await world.wallet(PRICE * BigInt(requests))
    const { address: payTo } = await world.wallet(PRICE)
    const pay: Pay = () => payWith(world, { payer, payTo })
    return { pay, payers: [payer.address], burst }
  },
})

export const attacks: readonly Attack[] = [
  {
    name: 'many authorizations over one balance',
    prepare: async (world, requests) => {
      const count = Math.ceil(requests / AUTHORIZATIONS_PER_BALANCE)
      const wallets = await openWallets(world, count, PRICE)
      const { address: payTo } = await world.wallet(PRICE)
      const pay: Pay = (index) => {
        const payer = inTurn(wallets, Math.floor(index / AUTHORIZATIONS_PER_BALANCE))
        return payWith(world, { payer, payTo })
      }
      return { pay, payers: addressesOf(wallets), burst: 2 }
    },
  },
  oneAddress('one address fills the channels with valid payments', 2),
  oneAddress('one address sends as many valid payments as there are channels', 1),
  {
    name: 'contract accounts whose check flips',
    prepare: async (world) => {
      const deployers = Array.from({ length: SMART_ACCOUNTS }, () => new Deployer(world.network))
      const accounts = await Promise.all(deployers.map((deployer) => deployer.smartAccount()))
      const { address: payTo } = await world.wallet(PRICE)
      const flip = async (deployer: Deployer, account: Wallet, signal: AbortSignal) => {
        for (let refusing = true; !signal.aborted; refusing = !refusing) {
          const value = xdr.ScVal.scvBool(refusing)
          // A transaction that the network drops only delays the next flip.
          await deployer.call(account.address, 'set_refusing', value).catch(() => pause(1_000))
        }
      }
      return {
        pay: (index) => payWith(world, { payer: inTurn(accounts, index), payTo }),
        payers: addressesOf(accounts),
        meanwhile: async (signal) => {
          const flips = deployers.map((it, index) => flip(it, inTurn(accounts, index), signal))
          await Promise.all(flips)
        },
      }
    },
  },
  {
    name: 'one base unit back and forth between own accounts',
    prepare: async (world) => {
      const wallets = await openWallets(world, 2, PRICE)
      const pay: Pay = (index) => {
        const { address: payTo } = inTurn(wallets, index + 1)
        return payWith(world, { payer: inTurn(wallets, index), payTo, amount: 1n })
      }
      return { pay, payers: addressesOf(wallets) }
    },
  },
  {
    name: 'requests of 64 KiB that need a simulation',
    prepare: async (world) => {
      const key = Keypair.random()
      // A contract that does not exist: only a simulation can tell.
      const payer = { address: StrKey.encodeContract(key.rawPublicKey()), key }
      const { address: payTo } = await world.wallet(PRICE)
      const signature = xdr.ScVal.scvBytes(new Uint8Array(FAT_BYTES))
      const afterwards: NonNullable<PaymentPlan['afterwards']> = ({ credentials }) => {
        credentials.signature = signature
      }
      return { pay: () => payWith(world, { payer, payTo, afterwards }), payers: [payer.address] }
    },
  },
  {
    name: 'simulations that compute up to the limits and fail',
    prepare: async (world) => {
      const deployers = Array.from({ length: SMART_ACCOUNTS }, () => new Deployer(world.network))
      const greed = { rounds: ROUNDS, refuses: true }
      const accounts = await Promise.all(deployers.map((each) => each.greedyAccount(greed)))
      const { address: payTo } = await world.wallet(PRICE)
      const pay: Pay = (index) => payWith(world, { payer: inTurn(accounts, index), payTo })
      return { pay, payers: addressesOf(accounts) }
    },
  },
  {
    name: 'authorizations that expire on the way',
    prepare: async (world, requests) => {
      const each = PRICE * BigInt(Math.ceil(requests / ACCOUNTS))
      const wallets = await openWallets(world, ACCOUNTS, each)
      const { address: payTo } = await world.wallet(PRICE)
      const pay: Pay = (index) => {
        const expirationLedger = world.network.network.latest.sequence + 2
        return payWith(world, { payer: inTurn(wallets, index), payTo, expirationLedger })
      }
      return { pay, payers: addressesOf(wallets) }
    },
  },
]
