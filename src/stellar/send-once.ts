import { RpcError, type SendOutcome } from './rpc.ts'
import { type AttemptOptions, attempts } from './rpc-attempts.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

type Sent = { readonly outcome: SendOutcome } | { readonly undecided: RpcError }

/**
 * Sends an envelope to one endpoint after the other until one takes it or refuses it. Once an
 * endpoint had the bytes and fell silent, a refusal by the next one proves nothing: a used sequence
 * number for instance may be the work of these very bytes. Then, as without any answer, throws
 * `RpcError`: only the ledger can tell.
 */
export async function sendOnce(
  options: AttemptOptions,
  envelopeXdr: string,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  let unanswered: RpcError | undefined
  let busy: SendOutcome | undefined

  const judge = ({ name }: RpcEndpoint, outcome: SendOutcome, behind: number): Sent | undefined => {
    if (outcome.status === 'TRY_AGAIN_LATER') {
      busy = outcome
      const message = `${name} takes nothing in just now`
      throw new RpcError('rejected', 'sendTransaction', message, { wasRefused: true })
    }
    if (outcome.status !== 'ERROR') return { outcome }
    if (unanswered) return { undecided: unanswered }
    // Judged by the state of an older ledger, in which it may not be the sequence number's turn.
    return behind > 0 ? undefined : { outcome }
  }

  const send = async (endpoint: RpcEndpoint): Promise<Sent | undefined> => {
    const asked = endpoint.ask(
      (client) => client.send(envelopeXdr, signal),
      ({ latestLedger, latestCloseTime }) => ({
        sequence: latestLedger,
        closeTime: latestCloseTime,
      }),
    )
    const { answer, behind } = await asked.catch((error: unknown) => {
      if (error instanceof RpcError && !error.wasRefused) unanswered ??= error
      throw error
    })
    return judge(endpoint, answer, behind)
  }

  const sent = await attempts('sendTransaction', options, send, signal).catch(
    (error: unknown): Sent => {
      if (!(error instanceof RpcError)) throw error
      return busy ? { outcome: busy } : { undecided: unanswered ?? error }
    },
  )
  if ('undecided' in sent) throw sent.undecided
  return sent.outcome
}
