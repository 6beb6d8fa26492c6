/** One rotation of a pool under load: from the sponsor that it has to a new one, with a fault meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ChannelPool } from '../../../../src/kubernetes/crd/channel-pool.ts'
import { rotationPhases } from '../../../../src/payments/channels/rotation/phase-names.ts'
import { listPoolChannels } from '../../../../src/payments/store/pools/pool-channels.ts'
import type { Load } from '../../../e2e/support/load.ts'
import type { Json } from '../../../support/api/manifests.ts'
import { isReady } from '../../kubernetes/operator/channel-pool/pool-world.ts'
import {
  addSponsor,
  hasEnded,
  nameSponsor,
  onLedgerOf,
  secretMeta,
  stroopsOf,
  type TestSponsor,
} from '../../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import { CHANNELS, type LoadWorld } from './load-world.ts'
import type { Period } from './rotation-load.ts'

/** What is done while the pool rotates. */
export interface RotationFault {
  /** For the table. */
  readonly name: string
  /** How the rotation must end. @default 'Done' */
  readonly ends?: 'Done' | 'Aborted'
  /** Members of the pool's spec beside the Secret. */
  readonly spec?: Json
  /** Whether no replica serves for a while: payments then come all at once, perhaps more than there are channels. */
  readonly interruptsService?: boolean
  /** XLM of the new sponsor at the start; 0: its account does not exist. @default 100n */
  readonly lumens?: bigint
  /** Begins when the new Secret is named. The rotation must end without anything after its end. */
  play(round: Round): Promise<void>
}

/** A rotation under way. */
interface Round {
  readonly world: LoadWorld
  readonly load: Load
  readonly old: TestSponsor
  readonly next: TestSponsor
  /** Resolves when this phase has begun, or a later one; with the phase that was seen. */
  begun(phase: Phase): Promise<Phase>
}

export type Phase = (typeof rotationPhases)[number]

export interface RoundResult {
  readonly fault: RotationFault
  readonly ended: Phase
  /** From the new Secret's name until everything was as it should be. */
  readonly period: Period
  /** The latest one when the round began. */
  readonly startLedger: number
  /** Sum of both sponsors and the fees at the end, less that at the start: 0 when every stroop is accounted for. */
  readonly stroopsOff: bigint
  /** The sponsor that the pool has now. */
  readonly sponsor: TestSponsor
}

const LUMENS = 100n
const LOOK_EVERY_MS = 50
/** A rollout of two pods takes 40 s; killed replicas count as alive for 30 s. */
const late = { timeout: 600_000, interval: LOOK_EVERY_MS }

export const noFault: RotationFault = { name: 'none', play: async () => undefined }

/** Plays it, and expects that ledger, store, Secrets and pods are then as after a rotation without a fault. */
export async function playRound(
  world: LoadWorld,
  load: Load,
  old: TestSponsor,
  name: string,
  fault: RotationFault = noFault,
): Promise<RoundResult> {
  const { ends = 'Done', spec = {}, lumens = LUMENS } = fault
  const next = await addSponsor(world, name, lumens)
  const stroops = await stroopsNow(world, [old, next])
  const startLedger = world.localnet.network.latest.sequence
  const from = Date.now()
  await nameSponsor(world, next.name, spec)
  const begun = (phase: Phase) => untilBegun(world, next, phase)
  const concerns = (pool: ChannelPool | undefined) =>
    expect(pool?.status?.rotation?.to.source.secretRef?.name).toBe(next.name)
  await Promise.all([
    fault.play({ world, load, old, next, begun }),
    world.until(
      (pool) => {
        concerns(pool)
        hasEnded(ends)(pool)
      },
      undefined,
      late,
    ),
  ])
  const [sponsor, other] = ends === 'Done' ? [next, old] : [old, next]
  await world.until(isReady, undefined, late)
  await world.untilServed()
  await expectOnly(world, { sponsor, other, ends })
  const stroopsOff = (await stroopsNow(world, [old, next])) - stroops
  const period = { from, to: Date.now() }
  return { fault, ended: ends, period, startLedger, stroopsOff, sponsor }
}

/** Ledger and store have the channels of one sponsor, all free to be leased, and nothing of the other; no Secret is held. */
async function expectOnly(
  world: LoadWorld,
  {
    sponsor,
    other,
    ends,
  }: { readonly sponsor: TestSponsor; readonly other: TestSponsor; readonly ends: Phase },
): Promise<void> {
  const indices = Array.from({ length: CHANNELS }, (_, index) => index)
  expect(await onLedgerOf(world, sponsor)).toMatchObject({ channels: indices, authority: true })
  const rest = await onLedgerOf(world, other)
  expect(rest).toMatchObject({ channels: [], authority: false })
  // What it had was sent with the account itself; a new sponsor that the pool has left keeps its own.
  if (ends === 'Done') expect(rest.balance, 'stroops left in the old sponsor').toBeUndefined()
  const network = 'stellar:testnet'
  const states = async ({ address }: TestSponsor) => {
    const rows = await listPoolChannels(world.store.db, { network, sponsor: address })
    return rows.map(({ state }) => state).filter((state) => state !== 'retired')
  }
  expect(await states(sponsor)).toEqual(indices.map(() => 'active'))
  expect(await states(other)).toEqual([])
  for (const { name } of [sponsor, other]) {
    expect((await secretMeta(world, name))?.finalizers).toBeUndefined()
  }
  await world.cluster.kubectl(['-n', world.namespace, 'delete', 'secret', other.name])
}

/** Read between two ledgers: payments change balances and fees in each. */
async function stroopsNow(world: LoadWorld, sponsors: readonly TestSponsor[]): Promise<bigint> {
  for (;;) {
    const { sequence } = world.localnet.network.latest
    const stroops = await stroopsOf(world, sponsors)
    if (world.localnet.network.latest.sequence === sequence) return stroops
  }
}

async function untilBegun(world: LoadWorld, next: TestSponsor, wanted: Phase): Promise<Phase> {
  const deadline = performance.now() + late.timeout
  for (;;) {
    const { rotation } = (await world.get())?.status ?? {}
    if (rotation?.to.source.secretRef?.name === next.name) {
      const seen = rotation.phase as Phase
      if (rotationPhases.indexOf(seen) >= rotationPhases.indexOf(wanted)) return seen
    }
    if (performance.now() > deadline)
      throw new Error(`no phase ${wanted} began: ${JSON.stringify(rotation)}`)
    await sleep(LOOK_EVERY_MS)
  }
}
