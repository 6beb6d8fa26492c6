import { Asset, Keypair, Operation, type xdr } from '@stellar/stellar-sdk'
import { x402Facilitator } from '@x402/core/facilitator'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/facilitator'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { callOperation, type Submission, Submitter } from '../../../support/explorer/submitter.ts'
import {
  callOf,
  invocationOf,
  type PaymentPlan,
  signedEntry,
  type Wallet,
} from '../../../support/payments.ts'
import { payloadFor, priceFor, reach, stockClient } from '../../../support/stock/stock-client.ts'
import { openWorld, type World } from '../../payments/world.ts'
import type { Settlers } from './upto-payment.ts'

const network = 'stellar:testnet'
const XLM_AMOUNT = 10_000_000_000n

/** A network with our facilitator, the stock one, tokens, and accounts that submit what is no payment. */
export interface TableWorld extends World {
  readonly submitter: Submitter
  /** An account that is nobody's facilitator. */
  readonly stranger: Keypair
  /** The settlement contract of the scheme `upto`. */
  readonly upto: string
  readonly settlers: Settlers
  readonly router: string
  /** An asset whose issuer's key is known, and its contract. */
  readonly ownAsset: { readonly issuer: Keypair; readonly asset: Asset; readonly contract: string }
}

export async function openTableWorld(): Promise<TableWorld> {
  const world = await openWorld({ tls: true })
  const { localnet } = world.stack
  const { deployer } = world
  reach(localnet)
  const submitter = new Submitter(localnet)
  await fundFees(world, world.payer)
  const stranger = await fundedKey(world)
  const issuer = await fundedKey(world)
  const asset = new Asset('OWN', issuer.publicKey())
  await deployer.send(Operation.createStellarAssetContract({ asset }))
  const contract = asset.contractId(localnet.network.passphrase)
  const upto = uptoContract(localnet.network.passphrase)
  const router = await deployer.router()
  const ownAsset = { issuer, asset, contract }
  const [authority, channel, sponsor] = [
    await fundedKey(world),
    await fundedKey(world),
    await fundedKey(world),
  ]
  const settlers = { authority, channel, sponsor }
  return { ...world, submitter, stranger, upto, settlers, router, ownAsset }
}

export async function fundedKey(world: World): Promise<Keypair> {
  const key = Keypair.random()
  await fundFees(world, { address: key.publicKey() })
  return key
}

export const fundFees = ({ stack }: World, { address }: Pick<Wallet, 'address'>) =>
  stack.localnet.pay({ address, asset: 'XLM', amount: XLM_AMOUNT })

/** Settles through our facilitator. */
export async function settle(world: World, plan: Partial<PaymentPlan> = {}): Promise<string> {
  const { body } = await world.stack.post('/settle', await world.pay(plan))
  if (body.success !== true) throw new Error(JSON.stringify(body))
  return body.transaction
}

/** Signed by the stock client and settled by the stock facilitator, which pays fees as it is set up to. */
export async function settleByStock(
  world: TableWorld,
  feeBump: 'fee bump' | 'no fee bump',
): Promise<string> {
  const { rpcUrl } = world.stack.localnet
  const [channel, sponsor] = [await fundedKey(world), await fundedKey(world)]
  const signer = (key: Keypair) => createEd25519Signer(key.secret(), network)
  const scheme = new ExactStellarScheme([signer(channel)], {
    rpcConfig: { url: rpcUrl },
    ...(feeBump === 'fee bump' && { feeBumpSigner: signer(sponsor) }),
    maxTransactionFeeStroops: 300_000,
  })
  const facilitator = new x402Facilitator().register(network, scheme)
  const { address, key } = world.payer
  const client = stockClient(world.stack.localnet, { address, secret: key.secret() })
  const price = priceFor(world.seller.address)
  const answer = await facilitator.settle(await payloadFor(client, price), price)
  if (!answer.success) throw new Error(JSON.stringify(answer))
  return answer.transaction
}

export interface SubmitOptions extends Partial<Omit<Submission, 'operations'>> {
  readonly opSource?: string
  /** Calls below the authorized one. */
  readonly below?: readonly xdr.InvokeContractArgs[]
  /** What is called, where it is not what the payer signs. */
  readonly called?: xdr.InvokeContractArgs
}

/** An authorized call as planned, in a transaction of anyone: by default of the stranger, without a fee bump. */
export async function submitSigned(
  world: TableWorld,
  plan: Partial<PaymentPlan> = {},
  { opSource, below = [], called, ...by }: SubmitOptions = {},
): Promise<string> {
  const whole = { payer: world.payer, payTo: world.seller.address, ...plan }
  const call = callOf(whole)
  const entry = await signedEntry(world.stack.localnet, {
    ...whole,
    beforeSigning: (unsigned) => {
      unsigned.rootInvocation = invocationOf(
        call,
        below.map((each) => invocationOf(each)),
      )
    },
  })
  const operation = callOperation(called ?? call, [entry], opSource)
  return world.submitter.submit({ from: world.stranger, operations: [operation], ...by })
}

/** A transfer that its payer authorizes by signing the transaction. */
export function submitOwn(world: TableWorld, plan: Partial<PaymentPlan> = {}): Promise<string> {
  const whole = { payer: world.payer, payTo: world.seller.address, ...plan }
  return world.submitter.submit({
    from: whole.payer.key,
    operations: [callOperation(callOf(whole))],
  })
}
