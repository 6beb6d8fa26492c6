import { formatXlm, type Stroops } from '../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { AnySigner } from '../../stellar/accounts/envelope-signer.ts'
import { RpcError, type SendOutcome, type StellarRpc } from '../../stellar/rpc/rpc.ts'
import { contractWorkEnvelope } from '../../stellar/transactions/contract-envelope.ts'
import type { SignedEnvelope } from '../../stellar/transactions/sign-transaction.ts'
import type { TransactionSource } from '../channels/transaction-source.ts'
import { MAX_VALIDITY_SECONDS } from '../engine/follow/ledger-outcome.ts'
import { refusalOf } from '../engine/send/send-refusals.ts'
import type { KeeperEnvelope, KeeperWork } from '../store/upto/keeper-transactions.ts'
import { type FollowedOutcome, type FollowOptions, followWork } from './follow-work.ts'
import { KeeperFailure } from './keeper-failure.ts'
import type { WorkQuote } from './quote-work.ts'
import type { WorkJournal } from './work-journal.ts'

export interface SendWorkOptions extends FollowOptions {
  readonly network: NetworkId
  readonly sponsor: AnySigner
  readonly rpc: StellarRpc
  /** Leases a channel as the source of the transaction; undefined when none is free. */
  readonly leaseSource: () => Promise<TransactionSource | undefined>
  /** Whether the sponsor is the source where no channel is. */
  readonly sponsorAsSource: boolean
  /** Absent with STORE=memory: then nothing is written down. */
  readonly journal: WorkJournal | undefined
}

export interface WorkDone {
  readonly action: KeeperWork
  /** 64 hex digits. */
  readonly hash: string
  readonly ledger: number
  readonly feeCharged: Stroops
}

/**
 * Sends one transaction for a contract and waits for its end. Its maximum fee is reserved before it is signed, and its
 * envelope recorded before it is sent: after a crash, the next holder of the lease finishes it by its hash.
 *
 * Throws `KeeperFailure` when it was not done, and RpcError when the network does not answer: then it may be under way.
 */
export async function sendWork(options: SendWorkOptions, quote: WorkQuote): Promise<WorkDone> {
  const { rpc, sponsor, journal, signal } = options
  const action = quote.work.kind
  await using leased = await options.leaseSource()
  const accounts = await rpc.accounts(
    [sponsor.address, ...(leased ? [leased.signer.address] : [])],
    signal,
  )
  const account = accounts.get(sponsor.address)
  if (!account) throw refused(action, `the sponsor ${sponsor.address} is not on the ledger`)
  const onLedger = leased && accounts.get(leased.signer.address)
  // After a reset of the network, for instance, the store knows channels that are not there.
  if (leased && !onLedger) leased.ended()
  const source = onLedger && leased
  if (!source && !options.sponsorAsSource) {
    throw refused(action, 'no channel became free within 30 s: the keeper tries again')
  }
  const sequence = onLedger ? (source?.sequence ?? onLedger.sequence) : account.sequence
  const id = await journal?.reserve(action, quote.maxFee)
  const envelope = await signAndRecord(options, { id, quote, source, sequence }).catch(
    async (error: unknown) => {
      await release(options, { id, action })
      source?.ended(sequence)
      throw error
    },
  )
  const sent = await sendOnce(rpc, envelope, signal)
  if (sent?.status === 'ERROR' && refusalOf(sent.resultCode) !== 'undecided') {
    source?.ended()
    await release(options, { id, action })
    const code = sent.operationCode ?? sent.resultCode
    const hint = code === 'txInsufficientBalance' ? `: send the sponsor ${sponsor.address} XLM` : ''
    throw refused(action, `the network refused it with ${code}${hint}`)
  }
  const outcome = await followWork(options, envelope)
  source?.ended(outcome.kind === 'succeeded' ? sequence + 1n : undefined)
  return await finishWork(journal, { id, action, hash: envelope.hash }, outcome)
}

/** Writes down how a followed transaction ended. Throws `KeeperFailure` unless it succeeded. */
export async function finishWork(
  journal: WorkJournal | undefined,
  work: { readonly id: bigint | undefined; readonly action: KeeperWork; readonly hash: string },
  outcome: FollowedOutcome,
): Promise<WorkDone> {
  const { id, action, hash } = work
  const finish = async (result: Parameters<WorkJournal['finish']>[1]) => {
    if (id !== undefined) await journal?.finish({ id, action, hash }, result)
  }
  if (outcome.kind === 'succeeded') {
    const { ledger, feeCharged } = outcome
    await finish({ state: 'succeeded', ledger, feeCharged })
    return { action, hash, ledger, feeCharged }
  }
  if (outcome.kind === 'failed') {
    const { ledger, feeCharged, because } = outcome
    await finish({ state: 'failed', ledger, feeCharged })
    const cost = `failed in ledger ${ledger} and cost ${formatXlm(feeCharged)}`
    throw new KeeperFailure(action, 'failed', `transaction ${hash} ${cost}: ${because}`)
  }
  await finish({ state: outcome.kind === 'expired' ? 'expired' : 'unknown' })
  throw new KeeperFailure(action, 'expired', `transaction ${hash}: ${outcome.because}`)
}

interface Unsigned {
  readonly id: bigint | undefined
  readonly quote: WorkQuote
  readonly source: TransactionSource | undefined
  /** The current sequence number of the source account. */
  readonly sequence: bigint
}

async function signAndRecord(
  { rpc, network, sponsor, journal, signal }: SendWorkOptions,
  { id, quote, source, sequence }: Unsigned,
): Promise<KeeperEnvelope> {
  const tip = await rpc.latestLedger(signal)
  if (source?.outlasts(MAX_VALIDITY_SECONDS) === false) {
    throw refused(
      quote.work.kind,
      'the lease of its channel ends too soon: the keeper, or the command run again, gets a new one',
    )
  }
  const signed: SignedEnvelope = await contractWorkEnvelope({
    ...quote,
    network,
    sponsor,
    source: source?.signer,
    sequence: sequence + 1n,
    maxTime: BigInt(tip.closeTime + MAX_VALIDITY_SECONDS),
  })
  const envelope = {
    hash: signed.hash,
    envelopeXdr: signed.envelopeXdr,
    maxTime: Number(signed.maxTime),
    recordedAtLedger: tip.sequence,
  }
  // The source counts as sent before the envelope is recorded: if the answer of the store is lost, another process may send it.
  source?.sent()
  if (id !== undefined) await journal?.record(id, envelope)
  return envelope
}

/** Undefined when no endpoint answered: then the transaction is looked up by its hash. */
const sendOnce = (
  rpc: StellarRpc,
  { envelopeXdr }: KeeperEnvelope,
  signal: AbortSignal,
): Promise<SendOutcome | undefined> =>
  rpc.send(envelopeXdr, signal).catch((error: unknown) => {
    if (error instanceof RpcError) return undefined
    throw error
  })

async function release(
  { journal }: SendWorkOptions,
  { id, action }: { readonly id: bigint | undefined; readonly action: KeeperWork },
): Promise<void> {
  if (id !== undefined) await journal?.finish({ id, action }, { state: 'released' })
}

const refused = (action: KeeperWork, because: string) =>
  new KeeperFailure(action, 'refused', because)
