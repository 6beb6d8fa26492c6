import type { Clock } from '../core/clock.ts'
import { decimalAmount, type Stroops } from '../core/stroops.ts'
import { provisionEnvelope } from '../stellar/channel-envelopes.ts'
import type { ResultCodes, StellarRpc, TransactionStatus } from '../stellar/rpc.ts'
import type { Signer } from '../stellar/signer.ts'

export interface CreateOptions {
  readonly network: string
  readonly passphrase: string
  readonly sponsor: Signer
  /** At most what one envelope takes. */
  readonly channels: readonly Signer[]
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The sponsor cannot create channels; the message says why and what to do. */
export class ProvisionFailure extends Error {
  override readonly name = 'ProvisionFailure'
}

/** Long enough to be taken in, short enough that a lost one is soon known to be lost. */
const VALIDITY_SECONDS = 60
const LOOK_AGAIN_MS = 250

/** Results that another process's provisioning, or a busy network, explains: look and try again. */
const passing = new Set(['txBadSeq', 'txInsufficientFee', 'txTooLate', 'createAccountAlreadyExist'])

/** Creates some channels in one transaction: all or none. */
export async function createChannels(options: CreateOptions): Promise<'created' | 'again'> {
  const { network, sponsor, rpc, signal } = options
  const account = (await rpc.accounts([sponsor.address], signal)).get(sponsor.address)
  if (!account) {
    throw new ProvisionFailure(
      `sponsor ${sponsor.address} does not exist on ${network}: send it XLM first`,
    )
  }
  const { closeTime } = await rpc.latestLedger(signal)
  const maxTime = closeTime + VALIDITY_SECONDS
  const envelope = provisionEnvelope({
    ...options,
    sequence: account.sequence + 1n,
    maxTime: BigInt(maxTime),
  })
  const sent = await rpc.send(envelope.envelopeXdr, signal)
  if (sent.status === 'TRY_AGAIN_LATER') return 'again'
  if (sent.status === 'ERROR') return explain(options, account.balance, sent)

  const status = await untilKnown(options, envelope.hash, maxTime)
  if (status?.status === 'SUCCESS') return 'created'
  return status?.status === 'FAILED' ? explain(options, account.balance, status) : 'again'
}

/** Undefined when no ledger took it in time. */
async function untilKnown(
  { rpc, clock, signal }: CreateOptions,
  hash: string,
  maxTime: number,
): Promise<TransactionStatus | undefined> {
  for (;;) {
    const status = await rpc.transaction(hash, signal)
    if (status.status !== 'NOT_FOUND') return status
    if (status.latestCloseTime > maxTime) return undefined
    await clock.sleep(LOOK_AGAIN_MS, signal)
  }
}

function explain(
  { network, sponsor, channels }: CreateOptions,
  balance: Stroops,
  { resultCode = 'no result code', operationCode }: ResultCodes,
): 'again' {
  const code = operationCode ?? resultCode
  if (passing.has(code)) return 'again'
  throw new ProvisionFailure(
    `sponsor ${sponsor.address} with ${decimalAmount(balance, 7)} XLM could not create ` +
      `${channels.length} channels on ${network}: ${code}. Each channel locks 1 XLM of its balance.`,
  )
}
