import { asStroops, decimalXlm, formatXlm } from '../../platform/core/amounts/stroops.ts'
import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import { readContractEntries } from '../../stellar/contracts/contract-entries.ts'
import type { ContractWork } from '../../stellar/contracts/contract-work.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import type { DerivedKeys } from '../channels/sponsor-keys.ts'
import { leaseSource, type SourceOptions } from '../channels/transaction-source.ts'
import { refusalAt } from '../engine/limits/limits.ts'
import type { FacilitatorDeps } from '../engine/network/open-network.ts'
import type { ServedNetwork } from '../engine/network/served-network.ts'
import type { KeeperOptions } from '../schemes/upto/options.ts'
import {
  acquireKeeperLease,
  type KeeperLease,
  KeeperLeaseLost,
} from '../store/upto/keeper-lease.ts'
import { readKeeperFailures } from '../store/upto/keeper-transactions.ts'
import { keepContract, sentenceOf } from './keep-contract.ts'
import { KeeperFailure } from './keeper-failure.ts'
import { quoteWork, type WorkQuote } from './quote-work.ts'
import type { WorkDone } from './send-work.ts'
import { KEEPER_LEASE_TTL_MS, withKeeperLease } from './with-keeper-lease.ts'
import { storedJournal } from './work-journal.ts'

export interface StartKeeperOptions {
  readonly network: KeptNetwork
  /** `C...` */
  readonly contract: string
  readonly keeper: KeeperOptions
  /** Its channels are the sources of the transactions. */
  readonly keys: DerivedKeys
  /** The `owner` of this process's settlements. */
  readonly replica: string
}

type KeptNetwork = Pick<
  ServedNetwork,
  'id' | 'rpc' | 'sponsor' | 'monitor' | 'sponsorReserve' | 'hourlyBudget'
>

type KeeperDeps = Pick<
  FacilitatorDeps,
  'store' | 'clock' | 'log' | 'metrics' | 'timings' | 'signal'
>

/**
 * The most that one transaction may cost. MAX_TX_FEE_STROOPS does not limit it: that is the price of one payment, while
 * an extension or a restoration pays rent for months. At testnet's prices our contract costs at most 0.27 XLM to restore
 * for a week, 0.9 XLM more to extend to a month and 7 XLM to extend to the network's maximum of 180 days. An endpoint
 * that simulates wrongly cannot make the sponsor pay more than this.
 */
export const KEEPER_FEE_LIMIT = asStroops(100_000_000n)

/** After a failure on the ledger the interval doubles, up to about an hour: each one costs its fee. */
const MAX_DOUBLINGS = 6

/**
 * Extends and restores a settlement contract in the background, until the signal aborts: a round a minute, in whichever replica
 * gets the lease. Payments do not depend on it.
 */
export function startKeeper(options: StartKeeperOptions, deps: KeeperDeps): AsyncDisposable {
  const { network, contract } = options
  const { id } = network
  const { store, clock, log, metrics, timings, signal } = deps
  let lastError: string | undefined
  const sayOnce = (error: string) => {
    if (error !== lastError) {
      log.warn({ network: id, contract, error }, 'The keeper of the settlement contract failed')
    }
    lastError = error
  }
  const onError = (error: unknown) => {
    if (error instanceof KeeperLeaseLost) {
      log.info({ network: id, contract }, 'Another process has taken over the lease of the keeper')
      return
    }
    metrics.backgroundErrors.inc({ task: 'upto_keeper' })
    log.warn({ err: error, network: id, contract }, 'The keeper of the settlement contract failed')
  }
  const round = async (lease: KeeperLease, ending: AbortSignal) => {
    try {
      await keepContract(keepOptions(options, deps, lease, ending))
      lastError = undefined
    } catch (error) {
      if (error instanceof KeeperFailure) {
        const { action, outcome } = error
        metrics.uptoKeeperActions.inc({ network: id, action, outcome })
        sayOnce(sentenceOf(error))
      } else if (error instanceof RpcError && !ending.aborted) sayOnce(error.message)
      else throw error
    }
    const failures = await readKeeperFailures(store.db, lease)
    const everyMs = timings.keeperMs * 2 ** Math.min(failures, MAX_DOUBLINGS)
    // A little less than the interval of the loops, so that the next one finds it due.
    return { dueInMs: everyMs * 0.9 }
  }
  return startBackgroundLoop({
    run: async (ending) => {
      const kept = { network: id, contract }
      const request = { holder: options.replica, ttlMs: KEEPER_LEASE_TTL_MS, whenDue: true }
      const lease = await acquireKeeperLease(store.db, kept, request)
      if (lease) {
        const held = { db: store.db, lease, clock, signal: ending }
        await withKeeperLease(held, (limit) => round(lease, limit))
      }
      await measure(options, deps, ending)
    },
    pauseMs: timings.keeperMs,
    clock,
    onError,
    signal,
  })
}

function keepOptions(
  { network, keeper, keys }: StartKeeperOptions,
  { store, clock, log, metrics }: KeeperDeps,
  lease: KeeperLease,
  signal: AbortSignal,
) {
  const { id, rpc, sponsor, hourlyBudget } = network
  const source: SourceOptions = {
    network: id,
    keys,
    inStore: (statement) => statement(store.db),
    store,
    clock,
    signal,
  }
  return {
    network: id,
    db: store.db,
    lease,
    keeper,
    rpc,
    clock,
    signal,
    sponsor,
    sponsorAsSource: false,
    leaseSource: () => leaseSource(source),
    journal: storedJournal(store.db, lease, { sponsor: sponsor.address, hourlyBudget }),
    quote: (work: ContractWork) => quoteForSponsor(network, work, signal),
    onDone: ({ action, hash: transaction, feeCharged, ledger }: WorkDone) => {
      metrics.uptoKeeperActions.inc({ network: id, action, outcome: 'succeeded' })
      const facts = { action, transaction, ledger, feeXlm: decimalXlm(feeCharged) }
      log.info(
        { network: id, contract: lease.contract, ...facts },
        'The keeper extended or restored the settlement contract',
      )
    },
  }
}

async function quoteForSponsor(
  network: KeptNetwork,
  work: ContractWork,
  signal: AbortSignal,
): Promise<WorkQuote> {
  const { rpc, monitor, sponsor, sponsorReserve } = network
  const { inclusionFee } = monitor
  const quote = await quoteWork({ rpc, inclusionFee, feeLimit: KEEPER_FEE_LIMIT, signal }, work)
  const { spendable } = monitor
  if (!refusalAt('claim', { spendable, reserve: sponsorReserve, fee: quote.maxFee })) return quote
  const has = spendable === undefined ? 'an unknown balance' : `${formatXlm(spendable)} to spend`
  throw new KeeperFailure(
    work.kind,
    'refused',
    `the sponsor ${sponsor.address} has ${has}; it needs SPONSOR_RESERVE_XLM (${formatXlm(sponsorReserve)}) and the fee of at most ${formatXlm(quote.maxFee)}: send it XLM`,
  )
}

/** Every replica, so that none shows what it read when it last had the lease. */
async function measure(
  { network: { id, rpc }, contract }: StartKeeperOptions,
  { metrics }: KeeperDeps,
  signal: AbortSignal,
): Promise<void> {
  const entries = await readContractEntries(rpc, contract, signal).catch((error: unknown) => {
    // The RPC pool logs an outage.
    if (error instanceof RpcError) return undefined
    throw error
  })
  for (const entry of ['instance', 'code'] as const) {
    const labels = { network: id, entry }
    const ttl = entries?.[entry]?.ttl
    if (ttl === undefined) metrics.uptoContractTtl.remove(labels)
    else metrics.uptoContractTtl.set(labels, ttl)
  }
}
