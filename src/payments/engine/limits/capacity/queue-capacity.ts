import {
  type LedgerResources,
  mapResources,
  transactionsWithin,
} from '../../../../stellar/transactions/ledger-resources.ts'

/** Capacity of stellar-core's queue, in ledgers (SOROBAN_TRANSACTION_QUEUE_SIZE_MULTIPLIER). */
const QUEUE_LEDGERS = 2
/** The rest is for other users of the network. When they take more, the network refuses, and settlements bid again. */
const OUR_SHARE = 0.95
/** Weight of the newest settlement in the average. */
const WEIGHT = 0.02

/** A transfer of a token between two accounts declares a little less. */
const usual: LedgerResources = {
  transactions: 2,
  transactionBytes: 1_150,
  instructions: 1_000_000,
  diskReads: 3,
  diskReadBytes: 500,
  writes: 3,
  writeBytes: 500,
}

/**
 * How many settlements the network's queue holds, by the resources of those that this process signed. The average
 * counts, and not the largest: the queue limits sums, and one payer with a costly contract must not slow all others.
 */
export class QueueCapacity {
  #average = usual

  /** Call with each settlement that was signed. */
  observe(resources: LedgerResources): void {
    const average = this.#average
    this.#average = mapResources(
      (name) => average[name] + WEIGHT * (resources[name] - average[name]),
    )
  }

  /** Settlements that fit into the queue, at least 1. `limits` are those of one ledger. */
  settlementsWithin(limits: LedgerResources): number {
    const settlements = transactionsWithin(limits, this.#average) * QUEUE_LEDGERS * OUR_SHARE
    return Math.max(1, Math.floor(settlements))
  }
}
