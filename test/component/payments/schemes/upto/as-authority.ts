/** Sends calls to the network around the facilitator and its checks. */
import {
  type FeeBumpTransaction,
  Keypair,
  Operation,
  rpc,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../../../src/localnet/closing/history.ts'
import type { LocalnetServer } from '../../../../../src/localnet/server/server.ts'
import type { Signer } from '../../../../../src/stellar/accounts/signer.ts'
import { invocationOf, type PaymentDraft } from '../../../../support/payments.ts'

export interface Sent {
  readonly hostFunction: xdr.HostFunction
  readonly auth: readonly xdr.SorobanAuthorizationEntry[]
  /** Source of the operation. @default the source of the transaction */
  readonly operationSource?: Signer
}

/** The call as the facilitator would send it, if it checked nothing: with the authority's own entry for it. */
export function asAuthority(
  { invocation: { hostFunction, auth } }: Pick<PaymentDraft, 'invocation'>,
  authority: Signer,
): Sent {
  const own =
    hostFunction.type === 'hostFunctionTypeInvokeContract'
      ? [sourceEntry(hostFunction.invokeContract)]
      : []
  return { hostFunction, auth: [...auth, ...own], operationSource: authority }
}

/** Authorizes the call, and nothing below it, as the source account of the operation. */
export const sourceEntry = (call: xdr.InvokeContractArgs): xdr.SorobanAuthorizationEntry =>
  new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: invocationOf(call),
  })

/** An account of its own, which pays for what it sends. */
export class Outsider {
  readonly key = Keypair.random()
  readonly #localnet: LocalnetServer
  readonly #server: rpc.Server

  private constructor(localnet: LocalnetServer) {
    this.#localnet = localnet
    this.#server = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  }

  static async open(localnet: LocalnetServer): Promise<Outsider> {
    const outsider = new Outsider(localnet)
    await localnet.pay({ address: outsider.address, asset: 'XLM', amount: 100_000_000_000n })
    return outsider
  }

  get address(): string {
    return this.key.publicKey()
  }

  /** What the network applied; the error of the host, when it refuses the call in an enforcing simulation. */
  async send({ hostFunction, auth, operationSource }: Sent): Promise<AppliedTransaction | string> {
    const call = Operation.invokeHostFunction({
      func: hostFunction,
      auth: [...auth],
      ...(operationSource && { source: operationSource.address }),
    })
    const transaction = new TransactionBuilder(await this.#server.getAccount(this.address), {
      fee: '1000',
      networkPassphrase: this.#localnet.network.passphrase,
    })
      .addOperation(call)
      .setTimeout(0)
      .build()
    const simulation = await this.#server.simulateTransaction(transaction)
    if (rpc.Api.isSimulationError(simulation)) return simulation.error
    const prepared = rpc.assembleTransaction(transaction, simulation).build()
    prepared.sign(this.key)
    if (operationSource) {
      const hint = operationSource.publicKey.subarray(-4)
      const signature = operationSource.sign(prepared.hash())
      prepared.signatures.push(new xdr.DecoratedSignature({ hint, signature }))
    }
    return sendSigned(this.#localnet, prepared)
  }
}

/** What the network applied; the codes of its result, when it refuses the transaction. */
export async function sendSigned(
  localnet: LocalnetServer,
  transaction: Transaction | FeeBumpTransaction,
): Promise<AppliedTransaction | string> {
  const server = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  const { hash, status, errorResult } = await server.sendTransaction(transaction)
  if (status !== 'PENDING') return `${status} ${JSON.stringify(errorResult?.result)}`
  await localnet.closeLedger()
  const applied = localnet.network.transaction(hash)
  if (!applied) throw new Error('the network lost a transaction')
  return applied
}
