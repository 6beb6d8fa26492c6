import type { RotationPhase } from '../../../../payments/channels/rotation/phase-names.ts'
import { advanced, type RotationFacts } from '../../../../payments/channels/rotation/phases.ts'
import { listLiveReplicas } from '../../../../payments/store/replica-heartbeats.ts'
import { stroopsFromLumens } from '../../../../platform/core/amounts/stroops.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { KubeObject } from '../../../runtime/objects/resource.ts'
import {
  hasBothSponsors,
  isLeaking,
  leavingSide,
  otherSide,
  type Rotation,
  type RotationSide,
  servingSide,
} from '../../references/rotation-state.ts'
import { describeSponsorSource } from '../../references/sponsor-source.ts'
import { PoolBlocked } from '../connect/blockers.ts'
import type { Connect, Connected } from '../connect/connect.ts'
import { takeSponsor } from '../connect/ownership.ts'
import {
  type ConvergeOptions,
  converge,
  type PoolResult,
  SponsorMissing,
} from '../converge/converge.ts'
import { keepBooks, type Ledgers, withOpenBooks } from './account.ts'
import { arrivalOf, leftOf, leftOfGone, noArrival } from './channel-facts.ts'
import { problemOfNewSponsor, sentence } from './check.ts'
import { inclusionFeeOf, type Swept, sweep, withFunds } from './funds.ts'
import { holdSecrets, type SecretsClient } from './hold-secrets.ts'
import { withinLimit } from './overlay.ts'
import { otherChannelKeys } from './steer.ts'
import { podsToWaitFor, uptoSecondsOf } from './user-facts.ts'

export interface RotationPassOptions {
  readonly pool: ChannelPool & KubeObject
  readonly rotation: Rotation
  /** Options for the sponsor in use, with the number of channels that the pool should have. */
  readonly serving: ConvergeOptions
  readonly connect: Connect
  readonly client: SecretsClient
}

export interface RotationPassResult {
  /** The result for the sponsor in use. */
  readonly result: PoolResult
  readonly rotation: Rotation
}

/** The facts of the sponsor that is not in use. */
interface Other {
  readonly connected?: Connected | undefined
  readonly result?: PoolResult | undefined
  /** The remains of a sponsor that is to end without channels. */
  readonly left?: RotationFacts['left'] & { readonly problem?: string | undefined }
  readonly problem?: string | undefined
}

/** Phases in which the sponsor that is not in use has channels, or gets or loses them. */
const withChannels: ReadonlySet<RotationPhase> = new Set([
  'Provisioning',
  'Introducing',
  'Moving',
  'Expiring',
  'Unmounting',
  'Retiring',
])

/**
 * Does what the phase asks for, and observes whether it is over. The sponsor in use is managed in each phase, whatever is in the way of
 * the other one. Throws what `converge` and `takeSponsor` throw for the sponsor in use, `RpcError`, store errors and KubeErrors.
 */
export async function rotationPass(options: RotationPassOptions): Promise<RotationPassResult> {
  const { pool, serving, client } = options
  const { connected, signal } = serving
  const side = servingSide(options.rotation)
  requireSeed(connected, options.rotation[side])
  await takeSponsor(pool, connected, options.rotation[otherSide(side)].address)
  if (hasBothSponsors(options.rotation)) {
    await holdSecrets(client, { pool, rotation: options.rotation }, signal)
  }
  const other = await connectOther(options)
  const rotation = withAddress(options.rotation, other)
  const ends = endsOf(rotation, connected, other.connected)
  // Others who know the seed are as fast as this process: the funds are moved before the channels.
  const swept = await sweep(rotation, ends, serving)
  const result = await converge({
    ...serving,
    desired: desiredOf(side, options),
    rescuer: rescuerOf(side, ends.to, rotation),
  })
  const after = await convergeOther(other, options)
  const hasMerged = [result, after.result].some((each) => each?.applied.kind === 'merged')
  const books = await keepBooks(withFunds(rotation, swept), {
    ledgers: ledgersOf(options),
    swept,
    hasMerged,
  })
  const facts = await factsOf({ options, result, other: after, swept: books.swept })
  const next = withinLimit(advanced(books.rotation, facts))
  const hasBegun = rotation.phase === 'Checking' && next.phase !== 'Checking'
  return { result, rotation: hasBegun ? await withOpenBooks(next, ledgersOf(options)) : next }
}

/** The sponsor that gets what merges of a leaked sponsor free: others who have that one's seed could take it. */
const rescuerOf = (
  side: RotationSide,
  to: Connected | undefined,
  rotation: Rotation,
): Connected | undefined => (side === 'from' && isLeaking(rotation) ? to : undefined)

const ledgersOf = ({ serving }: RotationPassOptions): Ledgers => {
  const { connected, signal, clock } = serving
  return { ...connected, signal, now: clock.now() }
}

/** The Secret may have been created, or corrected, since the rotation began. */
function withAddress(rotation: Rotation, { connected }: Other): Rotation {
  if (rotation.phase !== 'Checking' || !connected) return rotation
  return { ...rotation, to: { ...rotation.to, address: connected.sponsor } }
}

/** Throws `PoolBlocked`: only the seed that the rotation began with can sign for these channels. */
function requireSeed({ sponsor }: Connected, { address, source }: Rotation['from']): void {
  if (address === undefined || address === sponsor) return
  throw new PoolBlocked(
    'SponsorChanged',
    `${describeSponsorSource(source)} holds the seed of ${sponsor}, but the pool uses ${address}: put its seed back.`,
  )
}

async function connectOther({
  pool,
  rotation,
  serving,
  connect,
}: RotationPassOptions): Promise<Other> {
  const side = otherSide(servingSide(rotation))
  const end = rotation[side]
  return orProblem(rotation, async () => {
    const connected = await connect(pool, serving.signal, end.source)
    if (!hasBothSponsors(rotation)) return { connected }
    requireSeed(connected, end)
    await takeSponsor(pool, connected, serving.connected.sponsor)
    return { connected }
  })
}

/** The facts of a sponsor that has nothing in the pool, or nothing any more. */
const nothingLeft: Other = { left: { accounts: 0, holders: undefined, isEmpty: true } }
/** Someone else manages its channels. */
const notOurs: ReadonlySet<PoolBlocked['reason']> = new Set(['Conflict', 'SponsorMarked'])

/** A problem of the other sponsor must not keep the one in use from being managed, nor the way back to it from its end. */
async function orProblem(rotation: Rotation, work: () => Promise<Other>): Promise<Other> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PoolBlocked)) throw error
    if (rotation.aborting && notOurs.has(error.reason)) return nothingLeft
    return { problem: error.message }
  }
}

const endsOf = (rotation: Rotation, serving: Connected, other: Connected | undefined) =>
  servingSide(rotation) === 'from' ? { from: serving, to: other } : { from: other, to: serving }

/** How many channels a sponsor should have in this phase. */
function desiredOf(side: RotationSide, { rotation, serving }: RotationPassOptions): number {
  if (side === leavingSide(rotation) && rotation.phase === 'Retiring') return 0
  return side === 'from' && isLeaking(rotation) ? 0 : serving.desired
}

async function convergeOther(other: Other, options: RotationPassOptions): Promise<Other> {
  const { rotation, serving } = options
  const { connected } = other
  if (!connected || !withChannels.has(rotation.phase)) return other
  // On the way back its channels are only used up, until they are merged.
  if (rotation.aborting && rotation.phase !== 'Retiring') return other
  const side = otherSide(servingSide(rotation))
  const desired = desiredOf(side, options)
  const uid = `${serving.uid}/${side}`
  const seen = await orProblem(rotation, async () => {
    try {
      const rescuer = rescuerOf(side, serving.connected, rotation)
      return { result: await converge({ ...serving, uid, connected, desired, users: [], rescuer }) }
    } catch (error) {
      if (desired > 0 || !(error instanceof SponsorMissing)) throw error
      // Someone else who has the seed merged its account: nothing on the ledger is left to retire.
      return { left: await leftOfGone(connected) }
    }
  })
  serving.backoff.afterPass(uid, seen.result?.applied ?? { kind: 'unchanged' })
  return { connected, ...seen }
}

interface FactInput {
  readonly options: RotationPassOptions
  /** The result for the sponsor in use. */
  readonly result: PoolResult
  readonly other: Other
  readonly swept: Swept
}

async function factsOf({ options, result, other, swept }: FactInput): Promise<RotationFacts> {
  const { pool, rotation, serving } = options
  const { users, clock, connected } = serving
  const arriving = rotation.serving === 'To' ? result : other.result
  const left = other.left ?? leftOf(rotation.phase === 'Retiring' ? other.result : undefined)
  const checked = rotation.phase === 'Checking' ? await problemOfCheck(options, other) : undefined
  const isSameAccount =
    rotation.phase === 'Checking' && other.connected?.sponsor === connected.sponsor
  return {
    now: clock.now(),
    problem:
      problemOf(rotation, other) ??
      (isSameAccount ? otherKeysOf(rotation) : undefined) ??
      checked ??
      swept.problem ??
      left.problem,
    waits: swept.waits,
    isSameAccount,
    uptoSeconds: uptoSecondsOf(users),
    arrived: arriving ? arrivalOf(arriving) : noArrival(serving.desired),
    pods: podsToWaitFor(pool, users),
    replicas: await replicasOf(options),
    left,
    isSwept: swept.isDone,
    keepsFunds: pool.spec.rotation.sweep === 'None',
  }
}

/** Another place of the same key. */
const otherKeysOf = ({ from, to }: Rotation): string | undefined =>
  otherChannelKeys({ address: from.address ?? '', from: from.source, to: to.source })

async function problemOfCheck(
  { rotation, serving }: RotationPassOptions,
  { connected }: Other,
): Promise<string | undefined> {
  if (!connected || connected.sponsor === serving.connected.sponsor) return undefined
  const { uid, takeOver, signal, desired: channels, spec } = serving
  const floor = stroopsFromLumens(spec.minSponsorBalanceXlm)
  const inclusionFee = inclusionFeeOf(serving)
  const isFundedLater = rotation.mode === 'Emergency'
  const check = { uid, connected, channels, floor, inclusionFee, takeOver, isFundedLater, signal }
  const seen = await orProblem(rotation, async () => ({
    problem: await problemOfNewSponsor(check),
  }))
  return seen.problem
}

function problemOf({ aborting, phase }: Rotation, { problem, result }: Other): string | undefined {
  // The pods leave the new sponsor without its help.
  if (aborting && phase !== 'Retiring') return undefined
  return (
    problem ?? (result?.applied.kind === 'short' ? sentence(result.applied.message) : undefined)
  )
}

/** A pod that is being replaced still serves for some seconds after its Deployment has forgotten it. */
async function replicasOf({ rotation, serving }: RotationPassOptions): Promise<readonly string[]> {
  const { network, store } = serving.connected
  const sponsor = rotation[otherSide(servingSide(rotation))].address
  if (sponsor === undefined || !hasBothSponsors(rotation)) return []
  const live = await listLiveReplicas(store.db, { network, sponsor })
  return [...new Set(live.map(({ host }) => host))]
}
