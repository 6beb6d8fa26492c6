/** USDC transfers as facilitators settle them: a separate source account, and the payer's signed authorization. */
import {
  Account,
  Address,
  Asset,
  authorizeEntry,
  Contract,
  nativeToScVal,
  Operation,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import { decodeAccount } from '../../../src/localnet/ledger/account.ts'
import { accountIdFromAddress, accountIdXdr } from '../../../src/localnet/ledger/account-id.ts'
import { keyXdr } from '../../../src/localnet/ledger/entry-record.ts'
import { sha256 } from '../../../src/localnet/ledger/header.ts'
import { accountKey } from '../../../src/localnet/ledger/keys.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { randomSigner, type Signer } from '../../../src/stellar/accounts/signer.ts'

const LEDGERS_TO_LIVE = 30
const ONE_DOLLAR = 10_000_000n

export interface Accounts {
  /** Source accounts, one for each transaction. */
  readonly sources: readonly Signer[]
  readonly payers: readonly Signer[]
  readonly seller: string
}

/** Creates and funds accounts in one ledger. */
export async function openAccounts(
  net: Localnet,
  count: { readonly sources: number; readonly payers: number },
): Promise<Accounts> {
  const signers = (length: number) => Array.from({ length }, () => randomSigner())
  const [sources, payers] = [signers(count.sources), signers(count.payers)]
  const seller = randomSigner().address
  const holders = [seller, ...payers.map(({ address }) => address)]
  const gifts = [
    ...sources.map(({ address }) =>
      net.faucet({ address, asset: 'XLM', amount: 100_000n * ONE_DOLLAR }),
    ),
    ...holders.map((address) =>
      net.faucet({ address, asset: 'USDC', amount: 100_000n * ONE_DOLLAR }),
    ),
  ]
  await net.closeLedger()
  await Promise.all(gifts)
  return { sources, payers, seller }
}

interface Transfer {
  readonly source: Signer
  readonly payer: Signer
  readonly seller: string
}

/** The signed envelope of a transfer, simulated twice as by clients: recording, then enforcing. */
export async function transferEnvelope(net: Localnet, transfer: Transfer): Promise<Uint8Array> {
  const { source, payer, seller } = transfer
  const hostFunction = transferCall(net, payer.address, seller)
  const common = {
    ledger: {
      sequence: net.latest.sequence + 1,
      closeTime: net.latest.closeTime + 5,
      networkId: net.networkId,
      baseReserve: 5_000_000,
    },
    hostFunction: hostFunction.toXdr(),
    source: accountIdXdr(accountIdFromAddress(source.address)),
    seed: sha256(Buffer.from(`${source.address} ${net.latest.sequence}`)),
  }
  const recorded = net.host.simulate({ ...common, mode: 'record', upgradedAuth: true })
  const auth = await Promise.all(recorded.auth.map((entry) => signed(net, entry, payer)))
  const enforced = net.host.simulate({
    ...common,
    mode: 'enforce',
    auth: auth.map((entry) => entry.toXdr()),
  })
  if (!enforced.transactionData) throw new Error('the transfer cannot be simulated')
  const data = xdr.SorobanTransactionData.fromXdr(enforced.transactionData)
  const operation = Operation.invokeHostFunction({ func: hostFunction, auth })
  return envelope(net, source, { operation, data })
}

export const paymentEnvelope = (net: Localnet, source: Signer, to: string): Uint8Array =>
  envelope(net, source, {
    operation: Operation.payment({ destination: to, asset: Asset.native(), amount: '0.0000001' }),
  })

function transferCall({ passphrase }: Localnet, from: string, to: string): xdr.HostFunction {
  const [sender, receiver] = [from, to].map((it) => Address.fromString(it).toScVal())
  if (!sender || !receiver) throw new TypeError('a transfer needs a sender and a receiver')
  const amount = nativeToScVal(1_000n, { type: 'i128' })
  const contract = new Contract(usdc.contractId(passphrase))
  const { body } = contract.call('transfer', sender, receiver, amount)
  if (body.type !== 'invokeHostFunction') throw new TypeError(body.type)
  return body.invokeHostFunctionOp.hostFunction
}

const signed = (
  net: Localnet,
  entry: Uint8Array,
  payer: Signer,
): Promise<xdr.SorobanAuthorizationEntry> =>
  authorizeEntry(
    xdr.SorobanAuthorizationEntry.fromXdr(entry),
    async (_, payload) => ({ signature: payer.sign(payload), publicKey: payer.address }),
    net.latest.sequence + LEDGERS_TO_LIVE,
    net.passphrase,
  )

interface Body {
  readonly operation: xdr.Operation
  readonly data?: xdr.SorobanTransactionData
}

function envelope(net: Localnet, source: Signer, { operation, data }: Body): Uint8Array {
  const account = new Account(source.address, sequenceOf(net, source.address).toString())
  const transaction = new TransactionBuilder(account, {
    fee: (100n + (data?.resourceFee ?? 0n)).toString(),
    networkPassphrase: net.passphrase,
    ...(data && { sorobanData: data }),
  })
    .addOperation(operation)
    .setTimeout(0)
    .build()
  const signature = source.sign(transaction.hash())
  const hint = source.publicKey.slice(-4)
  transaction.addDecoratedSignature(new xdr.DecoratedSignature({ hint, signature }))
  return transaction.toEnvelope().toXdr()
}

function sequenceOf(net: Localnet, address: string): bigint {
  const stored = net.entry(keyXdr(accountKey(accountIdFromAddress(address))))
  if (!stored) throw new RangeError(`account ${address} does not exist`)
  return decodeAccount(stored.entry).sequence
}
