import { RpcError, type SendOutcome } from '../rpc.ts'
import { type AttemptOptions, firstAnswer } from './rpc-attempts.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

type Sent = { readonly outcome: SendOutcome } | { readonly undecided: RpcError }

/**
 * Sends an envelope to one endpoint after the other until one accepts or refuses it. One that is busy, or whose
 * queue asks for a higher fee, is passed over; when all are, it returns such an answer. When an earlier
 * endpoint received the bytes and did not answer, a later refusal proves nothing: a used sequence
 * number, for instance, may be the effect of these very bytes. Then, as without any answer, it throws
 * `RpcError`, and only the ledger can tell.
 */
export async function sendEnvelope(
  options: AttemptOptions,
  envelopeXdr: string,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  let unanswered: RpcError | undefined
  /** Answer of an endpoint whose queue has no place for the envelope; `txInsufficientFee` replaces `TRY_AGAIN_LATER`. */
  let busy: SendOutcome | undefined

  const interpret = (
    { name }: RpcEndpoint,
    outcome: SendOutcome,
    behind: number,
  ): Sent | undefined => {
    const isOutbid = outcome.resultCode === 'txInsufficientFee'
    if (outcome.status === 'TRY_AGAIN_LATER' || isOutbid) {
      if (isOutbid || !busy) busy = outcome
      const message = `${name} is busy`
      throw new RpcError('rejected', 'sendTransaction', message, { wasRefused: true })
    }
    if (outcome.status !== 'ERROR') return { outcome }
    if (unanswered) return { undecided: unanswered }
    // An older ledger may lack the transaction before this one, so its sequence number looks wrong.
    return behind > 0 ? undefined : { outcome }
  }

  const send = async (endpoint: RpcEndpoint): Promise<Sent | undefined> => {
    const request = endpoint.request({
      method: 'sendTransaction',
      send: (client) => client.send(envelopeXdr, signal),
      ledgerOf: ({ latestLedger, latestCloseTime }) => ({
        sequence: latestLedger,
        closeTime: latestCloseTime,
      }),
    })
    const { answer, behind } = await request.catch((error: unknown) => {
      if (error instanceof RpcError && !error.wasRefused) unanswered ??= error
      throw error
    })
    return interpret(endpoint, answer, behind)
  }

  const sent = await firstAnswer('sendTransaction', options, send, signal).catch(
    (error: unknown): Sent => {
      if (!(error instanceof RpcError)) throw error
      const isRefusal = busy?.status === 'ERROR'
      return busy && !(isRefusal && unanswered)
        ? { outcome: busy }
        : { undecided: unanswered ?? error }
    },
  )
  if ('undecided' in sent) throw sent.undecided
  return sent.outcome
}
