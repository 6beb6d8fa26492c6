import {
  Account,
  Asset,
  authorizeEntry,
  Keypair,
  nativeToScVal,
  Operation,
  rpc,
  scValToNative,
  TransactionBuilder,
  xdr,
} from 'stellar-sdk-14'
import type { EventsAsked, Sdk, SdkSession, TransferAsked } from './sdk.ts'

/** The SDK before the new XDR classes, used as an application uses it. */
export const sdk14: Sdk = {
  name: 'stellar-sdk 14',
  open: (url, passphrase) => new Session(url, passphrase),
}

class Session implements SdkSession {
  readonly #server: rpc.Server
  readonly #passphrase: string

  constructor(url: string, passphrase: string) {
    this.#server = new rpc.Server(url, { allowHttp: true })
    this.#passphrase = passphrase
  }

  health = () => this.#server.getHealth()
  network = () => this.#server.getNetwork()
  feeStats = () => this.#server.getFeeStats()
  versionInfo = () => this.#server.getVersionInfo()
  latestLedger = () => this.#server.getLatestLedger()
  missing = (hash: string) => this.#server.getTransaction(hash)

  async ledgers(startLedger: number) {
    const { ledgers } = await this.#server.getLedgers({ startLedger })
    return ledgers.map(({ sequence }) => sequence)
  }

  async transactions(startLedger: number, limit: number) {
    const pagination = { limit }
    const first = await this.#server.getTransactions({ startLedger, pagination })
    const { cursor } = first
    const rest = await this.#server.getTransactions({ pagination: { cursor, limit: 100 } })
    return [...first.transactions, ...rest.transactions].map(({ txHash }) => txHash)
  }

  async account(address: string) {
    const entry = await this.#server.getAccountEntry(address)
    return { balance: entry.balance().toBigInt() }
  }

  async trustline(address: string, code: string, issuer: string) {
    const entry = await this.#server.getTrustline(address, new Asset(code, issuer))
    return { balance: entry.balance().toBigInt() }
  }

  async transfer(asked: TransferAsked, close: () => Promise<unknown>) {
    const source = Keypair.fromSecret(asked.source)
    const account = await this.#server.getAccount(source.publicKey())
    const unsigned = this.#build(account, this.#operation(asked))
    const recorded = await this.#server.simulateTransaction(unsigned)
    if (rpc.Api.isSimulationError(recorded)) throw new Error(recorded.error)
    const { sequence } = await this.#server.getLatestLedger()
    const payer = Keypair.fromSecret(asked.payer)
    const auth = await Promise.all(
      (recorded.result?.auth ?? []).map((entry) =>
        authorizeEntry(entry, payer, sequence + 20, this.#passphrase),
      ),
    )
    const again = new Account(
      account.accountId(),
      (BigInt(account.sequenceNumber()) - 1n).toString(),
    )
    const prepared = await this.#server.prepareTransaction(
      this.#build(again, this.#operation(asked, auth)),
    )
    prepared.sign(source)
    const sent = await this.#server.sendTransaction(prepared)
    const repeated = await this.#server.sendTransaction(prepared)
    await close()
    const done = await this.#server.pollTransaction(sent.hash, { sleepStrategy: () => 20 })
    if (done.status !== rpc.Api.GetTransactionStatus.SUCCESS) throw new Error(done.status)
    return {
      hash: sent.hash,
      sent: sent.status,
      repeated: repeated.status,
      credentials: auth.map((entry) => entry.credentials().switch().name),
      returned: done.returnValue && scValToNative(done.returnValue),
      contractEvents: done.events.contractEventsXdr.flat().length,
      feeEvents: done.events.transactionEventsXdr.length,
      order: done.applicationOrder,
    }
  }

  async events({ startLedger, contract, topics, limit }: EventsAsked) {
    const filters = [{ type: 'contract' as const, contractIds: [contract], topics }]
    const pages: string[][] = []
    let page = await this.#server.getEvents({ startLedger, filters, limit })
    while (page.events.length > 0) {
      pages.push(page.events.map(({ id }) => id))
      page = await this.#server.getEvents({ cursor: page.cursor, filters, limit })
    }
    return pages
  }

  topic = (text: string) => xdr.ScVal.scvSymbol(text).toXDR('base64')

  #build(account: Account, operation: xdr.Operation) {
    return new TransactionBuilder(account, { fee: '1000', networkPassphrase: this.#passphrase })
      .addOperation(operation)
      .setTimeout(60)
      .build()
  }

  #operation(asked: TransferAsked, auth: xdr.SorobanAuthorizationEntry[] = []) {
    return Operation.invokeContractFunction({
      contract: asked.contract,
      function: 'transfer',
      args: [
        nativeToScVal(Keypair.fromSecret(asked.payer).publicKey(), { type: 'address' }),
        nativeToScVal(asked.payTo, { type: 'address' }),
        nativeToScVal(asked.amount, { type: 'i128' }),
      ],
      auth,
    })
  }
}
