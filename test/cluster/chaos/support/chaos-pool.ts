import { randomBytes } from 'node:crypto'
import { TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { channelSigner } from '../../../../src/channels/derive.ts'
import { passphrases } from '../../../../src/core/caip2.ts'
import type { AppliedTransaction } from '../../../../src/localnet/history.ts'
import type { AccountState } from '../../../../src/stellar/rpc.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/signer.ts'
import { listPoolChannels, type PoolChannel } from '../../../../src/store/pools/pool-channels.ts'
import type { Json } from '../../../support/api/manifests.ts'
import { transactionsAfter } from '../../../support/ledger-view.ts'
import { type RpcProxy, startRpcProxy } from '../../../support/rpc-proxy.ts'
import { LUMEN, type PoolWorld } from '../../operator/pool-world.ts'

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

interface SponsorTransaction {
  readonly hash: string
  readonly successful: boolean
  readonly fee: bigint
  /** `createAccount`, `accountMerge` and so on, in order. */
  readonly operations: readonly string[]
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
        { sponsorSecretRef: { name: `${name}-sponsor` }, rpc: { urls: [rpc.url] }, ...spec },
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
    transactions: () =>
      transactionsAfter(world.localnet.network, before).flatMap((each) =>
        of(sponsor.address, each),
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The sponsor's balance once every reserve is back: all but the fees of its transactions. */
export const allButFees = (pool: ChaosPool): bigint =>
  pool.transactions().reduce((left, { fee }) => left - fee, FUNDS)

function of(address: string, applied: AppliedTransaction): readonly SponsorTransaction[] {
  const text = Buffer.from(applied.envelopeXdr).toString('base64')
  const envelope = TransactionBuilder.fromXdr(text, passphrases[network])
  const isFeeBump = 'innerTransaction' in envelope
  // In a pool with channels the source is a channel, and the sponsor pays through a fee bump.
  if ((isFeeBump ? envelope.feeSource : envelope.source) !== address) return []
  const { operations: all } = isFeeBump ? envelope.innerTransaction : envelope
  const operations = all.map(({ type }) => type)
  const fee = xdr.TransactionResult.fromXdr(applied.resultXdr).feeCharged
  return [{ hash: applied.hash, successful: applied.successful, fee: BigInt(fee), operations }]
}
