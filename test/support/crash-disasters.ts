/** The disasters, and the replica that clients use afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashDatabase, DatabaseShape } from './crash-database.ts'
import type { Lane } from './crash-lane.ts'
import type { CrashReplica } from './crash-replica.ts'

export interface Scene {
  readonly lane: Lane
  /** The process whose settlements wait, each at its point. */
  readonly victim: CrashReplica
  /** Of the lane. */
  readonly database: CrashDatabase
  /** How long the frozen process stays frozen: longer than claims, leases and following last. */
  readonly frozenMs: number
}

export interface Disaster {
  readonly name: string
  /** @default one server, without a pooler */
  readonly database?: DatabaseShape
  /** Whether hostile payers send payments during the disaster. */
  readonly isUnderAttack?: boolean
  /** How many facilitator processes run when it strikes. */
  readonly replicas: 1 | 2
  /** Resolves with the replica that clients use from now on. */
  strike(scene: Scene): Promise<CrashReplica>
  /** Called when every payment has its answer. */
  afterwards(scene: Scene): Promise<void>
}

const other = ({ lane, victim }: Scene): CrashReplica => {
  const replica = lane.replicas.find((each) => each !== victim)
  if (!replica) throw new Error('there is no other replica')
  return replica
}

async function kill({ lane, victim }: Scene): Promise<void> {
  await victim.kill()
  lane.replicas.splice(lane.replicas.indexOf(victim), 1)
}

const noAction = async () => undefined

export const restarted: Disaster = {
  name: 'one replica, killed and restarted',
  replicas: 1,

  strike: async (scene) => {
    await kill(scene)
    return scene.lane.start()
  },
  afterwards: noAction,
}

export const takenOver: Disaster = {
  name: 'killed, second replica takes over',
  replicas: 2,

  strike: async (scene) => {
    const survivor = other(scene)
    await kill(scene)
    return survivor
  },
  afterwards: async ({ lane }) => void (await lane.start()),
}

/** The settlements that it had claimed or recorded are of a sponsor whose seed the next process does not sign with. */
export const succeeded: Disaster = {
  name: 'killed, a replica with another sponsor takes over',
  replicas: 1,

  strike: async (scene) => {
    await kill(scene)
    return scene.lane.startWithNextSponsor()
  },
  afterwards: noAction,
}

export const takenOverUnderAttack: Disaster = {
  ...takenOver,
  name: 'killed under attack, second replica takes over',
  isUnderAttack: true,
}

/** When it continues, another replica has ended its settlements. */
export const frozenThenResumed: Disaster = {
  name: 'frozen beyond its leases, second replica takes over',
  replicas: 2,

  strike: async (scene) => {
    scene.victim.freeze()
    return other(scene)
  },
  afterwards: async ({ victim, frozenMs }) => {
    await sleep(frozenMs)
    victim.thaw()
    victim.resume()
  },
}

export const postgresKilled: Disaster = {
  name: 'Postgres killed and restarted',
  replicas: 1,

  strike: async ({ database, victim }) => {
    await database.kill()
    victim.resume()
    await database.start()
    return victim
  },
  afterwards: noAction,
}

export const postgresFrozen: Disaster = {
  name: 'Postgres frozen',
  replicas: 1,

  strike: async ({ database, victim, frozenMs }) => {
    await database.freeze()
    victim.resume()
    await sleep(frozenMs)
    database.thaw()
    return victim
  },
  afterwards: noAction,
}

/** Every commit that was confirmed is on the standby. */
export const primaryLost: Disaster = {
  ...postgresKilled,
  name: 'primary killed, standby promoted',
  database: { isReplicated: true },
  replicas: 2,
}

export const poolerKilled: Disaster = {
  name: 'pooler killed and restarted',
  database: { isPooled: true },
  replicas: 2,

  strike: async ({ database, victim }) => {
    await database.pooler.kill()
    victim.resume()
    await database.pooler.start()
    return victim
  },
  afterwards: noAction,
}

export const disasters: readonly Disaster[] = [
  restarted,
  takenOver,
  succeeded,
  takenOverUnderAttack,
  frozenThenResumed,
  postgresKilled,
  postgresFrozen,
  primaryLost,
  poolerKilled,
]
