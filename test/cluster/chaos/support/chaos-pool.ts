import { randomBytes } from 'node:crypto'
import { channelSigner } from '../../../../src/payments/channels/derive.ts'
import {
  listPoolChannels,
  type PoolChannel,
} from '../../../../src/payments/store/pools/pool-channels.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import type { AccountState } from '../../../../src/stellar/rpc/rpc.ts'
import type { Json } from '../../../support/api/manifests.ts'
import { type RpcProxy, startRpcProxy } from '../../../support/rpc-proxy.ts'
import { LUMEN, type PoolWorld } from '../../kubernetes/operator/channel-pool/pool-world.ts'
import { type SponsorTransaction, transactionsOfSponsor } from './sponsor-transactions.ts'

const network = 'stellar:testnet'
const INDICES = 30
const FUNDS = 100n * LUMEN

/** A ChannelPool with its own sponsor and its own proxy to the ledger. */
export interface ChaosPool extends AsyncDisposable {
  readonly name: string
  readonly sponsor: { readonly address: string; readonly secret: string }
  readonly rpc: RpcProxy
  apply(spec: Json): Promise<void>
  onLedger(): Promise<readonly number[]>
  /** The sponsor's account. */
  account(): Promise<AccountState>
  /** Its channels in the store. */
  rows(): Promise<readonly PoolChannel[]>
  /** The transactions that the sponsor paid for, oldest first. */
  transactions(): readonly SponsorTransaction[]
}

export async function openChaosPool(world: PoolWorld, name: string): Promise<ChaosPool> {
  await using opened = new AsyncDisposableStack()
  const seed = randomBytes(32)
  const sponsor = { address: signerFromSeed(seed).address, secret: secretOfSeed(seed) }
  await world.localnet.pay({ address: sponsor.address, asset: 'XLM', amount: FUNDS })
  await world.secret(`${name}-sponsor`, { secret: sponsor.secret })
  const rpc = opened.use(await startRpcProxy())
  rpc.forwardTo(world.localnet.httpUrl)
  const before = world.localnet.network.latest.sequence
  const resources = opened.move()
  return {
    name,
    sponsor,
    rpc,
    apply: (spec) =>
      world.apply(
        { sponsor: { secretRef: { name: `${name}-sponsor` } }, rpc: { urls: [rpc.url] }, ...spec },
        name,
      ),
    onLedger: async () => {
      const addresses = Array.from(
        { length: INDICES },
        (_, index) => channelSigner(sponsor.secret, network, index).address,
      )
      const found = await world.rpc.accounts(addresses)
      return addresses.flatMap((address, index) => (found.has(address) ? [index] : []))
    },
    account: async () => {
      const account = (await world.rpc.accounts([sponsor.address])).get(sponsor.address)
      if (!account) throw new Error(`sponsor of ${name} is on no ledger`)
      return account
    },
    rows: () => listPoolChannels(world.store.db, { network, sponsor: sponsor.address }),
    transactions: () => transactionsOfSponsor(world, sponsor.address, before),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The sponsor's balance once every reserve is back: all but the fees of its transactions. */
export const allButFees = (pool: ChaosPool): bigint =>
  pool.transactions().reduce((left, { fee }) => left - fee, FUNDS)
