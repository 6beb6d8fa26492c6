import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'
import {
  type ContractEntries,
  readContractEntries,
} from '../../stellar/contracts/contract-entries.ts'
import type { ContractWork } from '../../stellar/contracts/contract-work.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import type { KeeperOptions } from '../schemes/upto/options.ts'
import { type KeeperFindings, writeKeeperFindings } from '../store/upto/keeper-findings.ts'
import type { KeeperLease } from '../store/upto/keeper-lease.ts'
import { findKeeperTransaction } from '../store/upto/keeper-transactions.ts'
import { followWork } from './follow-work.ts'
import { KeeperFailure } from './keeper-failure.ts'
import { planKeeping } from './plan-keeping.ts'
import type { WorkQuote } from './quote-work.ts'
import { finishWork, type SendWorkOptions, sendWork, type WorkDone } from './send-work.ts'
import type { WorkJournal } from './work-journal.ts'

export interface KeepOptions extends SendWorkOptions {
  readonly network: NetworkId
  readonly db: Db
  readonly lease: KeeperLease
  readonly journal: WorkJournal
  readonly keeper: KeeperOptions
  /** Simulates; throws `KeeperFailure` also when the sponsor cannot pay. */
  readonly quote: (work: ContractWork) => Promise<WorkQuote>
  readonly onDone: (done: WorkDone) => void
}

/** A restoration, an extension, and the read that finds nothing more to do. */
const MAX_STEPS = 3

/**
 * One round of the keeper of a settlement contract: finishes what a crash left under way, then restores and extends until
 * nothing has to be done. What it finds is in the store, for every replica. Throws `KeeperFailure` and RpcError, after
 * it has stored their messages as the error of the round, and any other error.
 */
export async function keepContract(options: KeepOptions): Promise<void> {
  const { db, lease } = options
  const write = (findings: KeeperFindings) => writeKeeperFindings(db, lease, findings)
  try {
    await finishLeftOver(options)
    for (let step = 0; step < MAX_STEPS; step += 1) {
      if (!(await takeStep(options, write))) break
    }
  } catch (error) {
    if (error instanceof KeeperFailure || (error instanceof RpcError && !options.signal.aborted)) {
      await write({ error: sentenceOf(error) })
    }
    throw error
  }
}

/** @returns whether another step may follow */
async function takeStep(
  options: KeepOptions,
  write: (findings: KeeperFindings) => Promise<void>,
): Promise<boolean> {
  const { network, rpc, lease, keeper, signal } = options
  const { contract } = lease
  const entries: ContractEntries = await readContractEntries(rpc, contract, signal)
  const step = planKeeping({ network, contract, entries }, keeper)
  switch (step.do) {
    case 'nothing':
      await write({ isChecked: true, plan: null, error: null })
      return false
    case 'ask':
      await write({ isChecked: true, plan: step.plan, error: null })
      return false
    case 'fail':
      await write({ isChecked: true, plan: null, error: step.error })
      return false
    case 'extend':
    case 'restore': {
      await write({ isChecked: true, plan: step.plan })
      const { keys } = step
      const work: ContractWork =
        step.do === 'restore'
          ? { kind: 'restore', keys }
          : { kind: 'extend', keys, toLedgers: step.toLedgers }
      options.onDone(await sendWork(options, await options.quote(work)))
      return true
    }
  }
}

/** Finishes a transaction left by a process that died, or that could not reach the network. */
export async function finishLeftOver(
  options: Pick<SendWorkOptions, 'rpc' | 'clock' | 'signal'> &
    Pick<KeepOptions, 'db' | 'lease' | 'journal' | 'onDone'>,
): Promise<void> {
  const { db, lease, journal } = options
  const left = await findKeeperTransaction(db, lease)
  if (!left) return
  const { id, action, envelope } = left
  if (!envelope) return journal.finish({ id, action }, { state: 'released' })
  const outcome = await followWork(options, envelope)
  options.onDone(await finishWork(journal, { id, action, hash: envelope.hash }, outcome))
}

/** The text for `/health`, which anyone may read: the error of an endpoint names its host, so that is in the log alone. */
export const sentenceOf = (error: KeeperFailure | RpcError): string =>
  error instanceof KeeperFailure
    ? error.message
    : `no Stellar RPC endpoint answers ${error.method}: the log says why`
