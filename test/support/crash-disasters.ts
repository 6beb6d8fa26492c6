/** What can happen to a service while it settles, and who is asked afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lane } from './crash-lane.ts'
import type { CrashPostgres } from './crash-postgres.ts'
import type { CrashReplica } from './crash-replica.ts'

export interface Scene {
  readonly lane: Lane
  /** The process in which settlements wait, each at its point. */
  readonly victim: CrashReplica
  /** The database server of the lane. */
  readonly postgres: CrashPostgres
  /** How long what is frozen stays so; longer than claims, leases and following last. */
  readonly frozenMs: number
}

export interface Disaster {
  readonly name: string
  /** How many facilitator processes run when it strikes. */
  readonly replicas: 1 | 2
  /** Resolves with the replica that everyone asks from now on. */
  strike(scene: Scene): Promise<CrashReplica>
  /** Once every payment had its answer: what is left to happen. */
  afterwards(scene: Scene): Promise<void>
}

const other = ({ lane, victim }: Scene): CrashReplica => {
  const found = lane.replicas.find((replica) => replica !== victim)
  if (!found) throw new Error('there is no other replica')
  return found
}

async function kill({ lane, victim }: Scene): Promise<void> {
  await victim.kill()
  lane.replicas.splice(lane.replicas.indexOf(victim), 1)
}

const nothing = async () => undefined

export const restarted: Disaster = {
  name: 'one replica, killed and restarted',
  replicas: 1,

  strike: async (scene) => {
    await kill(scene)
    return scene.lane.start()
  },
  afterwards: nothing,
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

/** When it wakes up, another replica has long done its work. */
export const zombie: Disaster = {
  name: 'frozen beyond its leases, second replica takes over',
  replicas: 2,

  strike: async (scene) => {
    scene.victim.freeze()
    return other(scene)
  },
  afterwards: async ({ victim, frozenMs }) => {
    await sleep(frozenMs)
    victim.thaw()
    victim.goOn()
  },
}

export const postgresKilled: Disaster = {
  name: 'Postgres killed and restarted',
  replicas: 1,

  strike: async ({ postgres, victim }) => {
    await postgres.kill()
    victim.goOn()
    await postgres.start()
    return victim
  },
  afterwards: nothing,
}

export const postgresFrozen: Disaster = {
  name: 'Postgres frozen',
  replicas: 1,

  strike: async ({ postgres, victim, frozenMs }) => {
    await postgres.freeze()
    victim.goOn()
    await sleep(frozenMs)
    postgres.thaw()
    return victim
  },
  afterwards: nothing,
}

export const disasters = [restarted, takenOver, zombie, postgresKilled, postgresFrozen] as const
