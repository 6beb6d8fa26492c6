import { noLongerNeeded } from '../../platform/core/time/no-longer-needed.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { claimableStates } from '../../platform/database/schema.ts'
import { addToLogScope } from '../../platform/telemetry/logs/log-scope.ts'
import { checkPayment } from '../checks/check-payment.ts'
import { isSignedByOwnKey } from '../checks/check-signature.ts'
import type { PaymentRequest } from '../protocol/protocol.ts'
import { settleCodes } from '../protocol/reasons.ts'
import { findSettlement } from '../store/settlements/find.ts'
import { type FoundSettlement, lookUpSettlement } from '../store/settlements/look-up.ts'
import {
  type Settlement,
  type SettlementKey,
  settlementId,
} from '../store/settlements/settlement.ts'
import type { SettleResult } from '../usage/outcome.ts'
import { refuseAtLimit } from './answers/refuse-at-limit.ts'
import { notSettled, refusedPayment, subjectOf } from './answers/settle-answer.ts'
import { finishLanded } from './follow/landed-after-all.ts'
import { resultOnceSent } from './follow/sent-before.ts'
import { conflictWith, identifierOf, refuseTaken } from './identifiers.ts'
import type { Refusal } from './limits/limit.ts'
import { refusalAt } from './limits/limits.ts'
import { LandedSettlements } from './limits/payers/landed-settlements.ts'
import type { ServedNetwork } from './network/served-network.ts'
import { quotePayment } from './quote-payment.ts'
import { answerRepeat, fingerprintOf } from './repeat.ts'
import {
  type CheckedRequest,
  claimAndSubmit,
  type SettleDeps,
  type SettlerDeps,
} from './send/claim-and-submit.ts'
import { UncertainClaims } from './send/uncertain-claims.ts'

/**
 * Settles each authorization once. Never needs an earlier verify. Identical concurrent requests in this
 * process share one settlement and one response.
 */
export class Settler {
  readonly #deps: SettlerDeps
  readonly #inProgress = new Map<string, Promise<SettleResult>>()

  constructor(deps: SettleDeps) {
    const uncertain = new UncertainClaims(deps)
    this.#deps = { ...deps, landed: new LandedSettlements(deps), uncertain }
  }

  async settle(
    network: ServedNetwork,
    request: PaymentRequest,
    { caller, client }: Pick<CheckedRequest, 'caller' | 'client'>,
  ): Promise<SettleResult> {
    const checked = network.stages.run('check', () =>
      checkPayment(request, network.policy, 'settle'),
    )
    if (!checked.ok) {
      const { refusal } = checked
      return { response: notSettled(subjectOf(request, refusal.payer), refusal) }
    }
    const { payment } = checked
    const { payer, nonce } = payment
    const key = { network: network.id, payer, nonce }
    addToLogScope({ settlement: settlementId(key) })
    const fingerprint = fingerprintOf(request)
    const shared = this.#inProgress.get(fingerprint)
    // A request that joins a settlement in progress did not start one.
    if (shared !== undefined) {
      const { started: _, ...joined } = await shared
      return { ...joined, key }
    }

    const identifier = identifierOf(payment, caller)
    const settling = settleChecked(this.#deps, {
      network,
      payment,
      key,
      fingerprint,
      identifier,
      caller,
      client,
    }).finally(() => {
      this.#inProgress.delete(fingerprint)
    })
    this.#inProgress.set(fingerprint, settling)
    return { ...(await settling), key }
  }
}

/**
 * Looks the authorization up and simulates at the same time, since there is almost never a row. When there is
 * one, the simulation's result is ignored: that of a repeat fails, because its nonce is spent. A payer that is
 * known to be paused gets no simulation, nor does a payment that cannot expect a channel in time: only
 * repeats of earlier settlements are answered.
 */
async function settleChecked(deps: SettlerDeps, request: CheckedRequest): Promise<SettleResult> {
  const ended = new AbortController()
  try {
    return await unlessTaken(deps, request, await settleQuoted(deps, request, ended.signal))
  } finally {
    // A repeat, or a request that failed, waits for no simulation.
    ended.abort(noLongerNeeded)
  }
}

/**
 * A request that lost its authorization to another one is answered for its id, when the other one has that too. Nonces are on the ledger
 * for everyone, so without a signature only the loss of the authorization is told.
 */
async function unlessTaken(
  { store }: SettlerDeps,
  request: CheckedRequest,
  result: SettleResult,
): Promise<SettleResult> {
  const { response } = result
  const isLost = !response.success && response.errorReason === settleCodes.conflict
  return (isLost && isOfOwnKey(request) ? await refuseTaken(store, request) : undefined) ?? result
}

const isOfOwnKey = ({ network, payment }: CheckedRequest): boolean =>
  isSignedByOwnKey(payment, network.policy.passphrase)

async function settleQuoted(
  deps: SettlerDeps,
  request: CheckedRequest,
  signal: AbortSignal,
): Promise<SettleResult> {
  const { network, payment, key, fingerprint, identifier, client } = request
  const { payers, admission } = network
  await deps.uncertain.release(fingerprint)
  const isAdmitted = admission.isOpenFor(key.payer)
  const isQuoted = isAdmitted && !payers.paused.has(key.payer)
  const quote = () => quotePayment(network, payment, { client, signal })
  const quoting = isQuoted ? quote() : undefined
  quoting?.catch(() => undefined)
  // A failover of the database may have lost the id, and this process still knows it.
  if (identifier) await deps.follower.restoreLost()
  const asset = payment.asset.contract
  const pause = payers.pauseOf(key.payer)
  const found = await lookUpSettlement(deps.store.db, { key, asset, pause, identifier })
  const { settlement, firstPayment } = found
  const isRepeat = settlement?.recorded !== undefined && settlement.fingerprint === fingerprint
  // The ids of a payer are told to nobody else. Without this signature the claim refuses the id, after the simulation.
  if (firstPayment && !isRepeat && isOfOwnKey(request)) {
    return refusedPayment(payment, conflictWith(firstPayment, network))
  }
  if (settlement?.recorded) return answerRepeat(deps, network, settlement, fingerprint)
  const result = await settleFound(deps, request, found, {
    isAdmitted,
    quote: () => quoting ?? quote(),
  })
  const isFirst = settlement === undefined || settlement.attempt === 1
  return isFirst ? result : resultOnceSent(deps.store, request, result)
}

interface Quoting {
  readonly isAdmitted: boolean
  readonly quote: () => ReturnType<typeof quotePayment>
}

/** Settles an authorization of which the store has no recorded envelope. */
async function settleFound(
  deps: SettlerDeps,
  request: CheckedRequest,
  { settlement, pausedForMs, hasOthers }: FoundSettlement,
  { isAdmitted, quote }: Quoting,
): Promise<SettleResult> {
  const { network, payment, key, fingerprint } = request
  const { payers, admission } = network
  payers.paused.note(key.payer, pausedForMs)
  const refuse = (limit: Refusal) =>
    settlement?.state === 'claimed'
      ? answerRepeat(deps, network, settlement, fingerprint)
      : refuseAtLimit(deps.metrics, request, limit)
  const early = refusalAt('request', { payer: key.payer, pausedForMs, isAdmitted })
  if (early) return refuse(early)

  const quoted = await quote()
  if (!quoted.ok) {
    const { authorizationUsed } = payment.scheme.rules.settle.codes
    const mayBeSettled =
      quoted.refusal.code === authorizationUsed || (settlement && settlement.attempt > 1)
    const concurrent = mayBeSettled && (await settledAfterAll(deps, network, key))
    if (concurrent) return answerRepeat(deps, network, concurrent, fingerprint)
    return refusedPayment(payment, quoted.refusal)
  }
  using place = admission.enter(key.payer)
  const late = refusalAt('request', { payer: key.payer, isAdmitted: place.isAdmitted })
  if (late) return refuse(late)
  try {
    // Awaited, so that the place lasts until the claim.
    return await claimAndSubmit(deps, request, { quote: quoted.quote, hasOthers, place })
  } catch (error) {
    // The claim or the record may be in the store all the same. What is recorded is not released.
    if (error instanceof StoreUnavailable) {
      deps.uncertain.add(network, { key, owner: deps.owner, fingerprint })
    }
    throw error
  }
}

/**
 * Between the read of the store and the simulation another process may have settled this request. And the ledger
 * may have the transaction of an attempt that was refused, even if a later one was released or abandoned. Or a failover
 * of the database has lost the settlement, and this process still knows it.
 */
async function settledAfterAll(
  { store, follower }: SettleDeps,
  network: ServedNetwork,
  key: SettlementKey,
): Promise<Settlement | undefined> {
  await follower.restoreLost()
  const settlement = await findSettlement(store.db, key)
  if (!settlement || settlement.recorded) return settlement
  return claimableStates.includes(settlement.state)
    ? finishLanded(store, network.rpc, settlement)
    : undefined
}
