/** Refusals that the network's host decides: balances, accounts, trustlines, TTLs, signatures. */
import { Asset, Keypair, Operation, scValToNative, xdr } from '@stellar/stellar-sdk'
import { USDC_ISSUER } from '../../../../src/localnet/genesis/genesis-assets.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { archive, rewrite } from '../../../support/ledger-surgery.ts'
import { contractBalanceKey, trustlineKey } from '../../../support/ledger-view.ts'
import { openWallet, type PaymentPlan, usdc } from '../../../support/payments.ts'
import type { RefusedPayment } from '../../../support/refusals/refusal.ts'
import { consume } from '../consume.ts'
import type { WorldRefusal } from '../refusal-case.ts'
import type { World } from '../world.ts'

const P = 'invalid_exact_stellar_payload_'

/** A payment by a payer created for the case. */
async function by(
  world: World,
  plan: Partial<PaymentPlan> & Pick<PaymentPlan, 'payer'>,
  message: RefusedPayment['message'],
): Promise<RefusedPayment> {
  return { body: await world.pay(plan), message, payer: plan.payer.address }
}

const deauthorize = (data: xdr.LedgerEntryData): void => {
  if (data.type === 'trustline') Object.assign(data.trustLine, { flags: 0 })
}

export const signatureCases: readonly WorldRefusal[] = [
  {
    code: `${P}nonce_already_used`,
    when: 'after another party has spent the authorization',
    build: async (world) => {
      const body = await world.pay()
      await consume(world.stack.localnet, body)
      return {
        body,
        message: "the payer's authorization has been used already",
        payer: world.payer.address,
      }
    },
  },
  {
    code: `${P}invalid_signature`,
    when: 'for a signature with one bit changed',
    build: (world) =>
      by(
        world,
        {
          payer: world.payer,
          afterwards: ({ credentials }) => {
            credentials.signature = flipped(credentials.signature)
          },
        },
        new RegExp(
          `^the signature by ${world.payer.address} is not one of this call, nonce -?\\d+ and expiration ledger \\d+ on this network$`,
        ),
      ),
  },
  {
    code: `${P}invalid_signature`,
    when: 'for a signature of an unknown shape',
    build: (world) =>
      by(
        world,
        {
          payer: world.payer,
          afterwards: ({ credentials }) => {
            credentials.signature = xdr.ScVal.scvBytes(new Uint8Array(64))
          },
        },
        `the signature of ${world.payer.address} is not a vector of maps {public_key, signature}`,
      ),
  },
  {
    code: `${P}invalid_signature`,
    when: 'for a correct signature of a key that is no signer of the account',
    build: (world) =>
      by(
        world,
        { payer: world.payer, signer: Keypair.random() },
        /^the ledger refuses the signature of G\w+: Error\(Contract, #5\)$/,
      ),
  },
  {
    code: `${P}invalid_signature`,
    when: 'for a smart account whose signature its contract cannot verify',
    build: async (world) =>
      by(
        world,
        {
          payer: await world.deployer.smartAccount(),
          afterwards: ({ credentials }) => {
            credentials.signature = flipped(credentials.signature)
          },
        },
        /^the ledger refuses the signature of C\w+: Error\(Crypto, InvalidInput\)$/,
      ),
  },
  {
    code: `${P}smart_account_rejected`,
    when: 'for a smart account that refuses',
    build: async (world) => {
      const payer = await world.deployer.smartAccount()
      await world.deployer.call(payer.address, 'set_refusing', xdr.ScVal.scvBool(true))
      const message = `the smart account ${payer.address} refused the call with Error(Contract, #1)`
      return by(world, { payer }, message)
    },
  },
  {
    code: `${P}smart_account_rejected`,
    when: 'for a smart account of which the key is no signer',
    build: async (world) => {
      const payer = await world.deployer.smartAccount()
      const message = `the smart account ${payer.address} refused the call with Error(Contract, #2)`
      return by(world, { payer, signer: Keypair.random() }, message)
    },
  },
]

/** The signature in `[{public_key, signature}]` with its last bit flipped. */
export function flipped(value: xdr.ScVal): xdr.ScVal {
  const [signed] = scValToNative(value) as [{ public_key: Uint8Array; signature: Uint8Array }]
  const signature = Uint8Array.from(signed.signature)
  signature[63] = (signature[63] ?? 0) ^ 1
  const member = (name: string, bytes: Uint8Array) =>
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: xdr.ScVal.scvBytes(bytes) })
  const members = [member('public_key', signed.public_key), member('signature', signature)]
  return xdr.ScVal.scvVec([xdr.ScVal.scvMap(members)])
}

export const balanceCases: readonly WorldRefusal[] = [
  {
    code: `${P}account_missing`,
    when: 'for a payer whose account does not exist',
    build: async (world) => {
      const payer = await openWallet(world.stack.localnet, 'nowhere')
      return by(world, { payer }, `the payer ${payer.address} does not exist on the ledger`)
    },
  },
  {
    code: `${P}payer_trustline_missing`,
    when: 'for a payer without a trustline',
    build: async (world) => {
      const payer = await openWallet(world.stack.localnet, 'none')
      return by(world, { payer }, `the payer ${payer.address} holds no trustline to USDC`)
    },
  },
  {
    code: `${P}recipient_trustline_missing`,
    when: 'for a recipient without a trustline',
    build: async (world) => {
      const { address: payTo } = await openWallet(world.stack.localnet, 'none')
      const message = `the recipient ${payTo} holds no trustline to USDC`
      return by(world, { payer: world.payer, payTo }, message)
    },
  },
  {
    // The host reads the trustline only, so the refusal is the same as above.
    code: `${P}recipient_trustline_missing`,
    when: 'for a recipient whose account does not exist',
    build: async (world) => {
      const { address: payTo } = await openWallet(world.stack.localnet, 'nowhere')
      const message = `the recipient ${payTo} holds no trustline to USDC`
      return by(world, { payer: world.payer, payTo }, message)
    },
  },
  {
    code: `${P}trustline_not_authorized`,
    when: 'for a payer whose trustline the issuer has not authorized',
    build: async (world) => {
      const payer = await openWallet(world.stack.localnet)
      rewrite(world.stack.localnet.network, trustlineKey(payer.address), deauthorize)
      return by(world, { payer }, notAuthorized)
    },
  },
  {
    code: `${P}trustline_not_authorized`,
    when: 'for a recipient whose trustline the issuer has not authorized',
    build: async (world) => {
      const { address: payTo } = await openWallet(world.stack.localnet)
      rewrite(world.stack.localnet.network, trustlineKey(payTo), deauthorize)
      return by(world, { payer: world.payer, payTo }, notAuthorized)
    },
  },
  {
    code: 'insufficient_funds',
    when: 'for a payer who lacks one unit',
    build: async (world) => {
      const payer = await openWallet(world.stack.localnet, 99_999n)
      const message = `the payer ${payer.address} holds less USDC than the payment takes`
      return by(world, { payer }, message)
    },
  },
  {
    code: 'insufficient_funds',
    when: 'for a smart account that lacks one unit',
    build: async (world) => {
      const payer = await world.deployer.smartAccount()
      const message = `the payer ${payer.address} holds less USDC than the payment takes`
      return by(world, { payer, amount: 100_000_001n }, message)
    },
  },
  {
    code: `${P}archived_state`,
    when: 'for a smart account whose balance is archived',
    build: async (world) => {
      const payer = await world.deployer.smartAccount()
      archive(world.stack.localnet.network, contractBalanceKey(payer.address))
      const message = 'a ledger entry that the payment needs is archived and must be restored first'
      return by(world, { payer }, message)
    },
  },
  {
    code: `${P}simulation_failed`,
    when: "for a recipient whose trustline's limit would be exceeded",
    build: async (world) => {
      const seller = await openWallet(world.stack.localnet, 1n)
      rewrite(world.stack.localnet.network, trustlineKey(seller.address), (data) => {
        if (data.type === 'trustline') Object.assign(data.trustLine, { limit: 2n })
      })
      const message = /^the call fails in simulation: HostError: Error\(Contract, #10\), /
      return by(world, { payer: world.payer, payTo: seller.address }, message)
    },
  },
  {
    code: `${P}simulation_failed`,
    when: 'for too few lumens to create the account of the recipient',
    build: async (world) => {
      const { address: payTo } = await openWallet(world.stack.localnet, 'nowhere')
      const message =
        'the call fails in simulation: HostError: Error(Contract, #14), transfer amount is below minimum balance for new account'
      return by(world, { payer: world.payer, payTo, asset: lumens }, message)
    },
  },
]

const issuer = Keypair.random()
const coupons = new Asset('COUPON', issuer.publicKey())
/** The contract of an asset whose issuer's key this test holds. */
export const coupon = coupons.contractId(passphrases['stellar:testnet'])

const notAuthorized = 'the issuer of USDC has not authorized the balance of one party'
export const lumens = Asset.native().contractId(passphrases['stellar:testnet'])

/** The issuer holds no balance of its asset: a transfer from it mints, a transfer to it burns. */
export const issuerCases: readonly WorldRefusal[] = [
  {
    code: `${P}event_not_transfer`,
    when: "for the asset's issuer as payer",
    build: async (world) => {
      const { deployer } = world
      const key = issuer
      await world.stack.localnet.pay({
        address: key.publicKey(),
        asset: 'XLM',
        amount: 100_000_000n,
      })
      await deployer.send(Operation.createStellarAssetContract({ asset: coupons }))
      const { address: payTo } = await deployer.smartAccount()
      return by(
        world,
        { payer: { address: key.publicKey(), key }, payTo, asset: coupon },
        `contract ${coupon} emits contract event mint, expected only transfer; the asset's issuer can neither pay nor be paid`,
      )
    },
  },
  {
    code: `${P}event_not_transfer`,
    when: "for the asset's issuer as recipient",
    build: (world) =>
      by(
        world,
        { payer: world.payer, payTo: USDC_ISSUER },
        `contract ${usdc} emits contract event burn, expected only transfer; the asset's issuer can neither pay nor be paid`,
      ),
  },
]
