/**
 * A round makes one real fault, waits until each of its alerts fires, tries the commands of their runbooks, repairs
 * the fault, and waits until each is resolved.
 */
import { expect, vi } from 'vitest'
import type { AlertWorld } from './alert-world.ts'
import type { Firing, Labels, Prometheus } from './prometheus.ts'
import type { Traffic } from './traffic.ts'

export interface Scene {
  readonly world: AlertWorld
  readonly traffic: Traffic
  readonly prometheus: Prometheus
}

export interface Round {
  readonly fault: string
  /** By name, the labels by which its alert is found and routed. */
  readonly alerts: Readonly<Record<string, Labels>>
  readonly make: (scene: Scene) => Promise<void>
  /** Tries what the runbooks say to check while the alerts fire. */
  readonly check?: (scene: Scene) => Promise<void>
  readonly repair: (scene: Scene) => Promise<void>
}

export interface Played {
  readonly fired?: readonly Firing[]
  readonly resolved: boolean
  readonly error?: unknown
}

const FIRES_WITHIN = { timeout: 210_000, interval: 500 }
const RESOLVES_WITHIN = { timeout: 210_000, interval: 500 }

/** What became of each alert of the round; the fault is repaired whatever happened. */
export async function play(round: Round, scene: Scene): Promise<ReadonlyMap<string, Played>> {
  const { prometheus } = scene
  const played = new Map<string, Played>()
  const began = performance.now()
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - began) / 1_000)} s: ${text}\n`)
  await Promise.all(
    Object.entries(round.alerts).map(([name, labels]) => untilSilent(prometheus, name, labels)),
  )
  try {
    await round.make(scene)
    say(`made: ${round.fault}`)
    await Promise.all(
      Object.entries(round.alerts).map(async ([name, labels]) => {
        try {
          played.set(name, { fired: await untilFires(prometheus, name, labels), resolved: false })
          say(`${name} fires`)
        } catch (error) {
          played.set(name, { resolved: false, error })
        }
      }),
    )
    await round.check?.(scene)
  } finally {
    await round.repair(scene)
    say('repaired')
  }
  await Promise.all(
    [...played].map(async ([name, { fired, error }]) => {
      if (!fired) return
      try {
        await untilSilent(prometheus, name, round.alerts[name])
        say(`${name} is resolved`)
        played.set(name, { fired, resolved: true })
      } catch (thrown) {
        played.set(name, { fired, resolved: false, error: error ?? thrown })
      }
    }),
  )
  return played
}

const untilFires = (prometheus: Prometheus, name: string, labels: Labels) =>
  vi.waitFor(async () => {
    const found = matching(await prometheus.firing(name), labels)
    expect(found, `${name} fires with ${JSON.stringify(labels)}`).not.toEqual([])
    return found
  }, FIRES_WITHIN)

const untilSilent = (prometheus: Prometheus, name: string, labels: Labels = {}) =>
  vi.waitFor(async () => {
    expect(matching(await prometheus.firing(name), labels), `${name} is resolved`).toEqual([])
  }, RESOLVES_WITHIN)

const matching = (all: readonly Firing[], labels: Labels = {}): readonly Firing[] =>
  all.filter((each) =>
    Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  )
