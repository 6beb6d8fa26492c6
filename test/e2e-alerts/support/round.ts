/**
 * A round makes one real fault, waits until each of its alerts fires, tries the commands of their runbooks, repairs
 * the fault, and waits until each is resolved.
 */
import { expect, vi } from 'vitest'
import type { AlertWorld } from './alert-world.ts'
import type { ActiveAlert, Labels, Prometheus } from './prometheus.ts'
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
  /**
   * Tries what the runbooks say to check while the alerts fire; changes nothing. It is repeated until it succeeds: on a busy
   * machine a command may reach its own time limits.
   */
  readonly check?: (scene: Scene) => Promise<void>
  readonly repair: (scene: Scene) => Promise<void>
}

export interface Played {
  readonly fired?: readonly ActiveAlert[]
  readonly resolved: boolean
  readonly error?: unknown
}

/** Longer than a machine that is busy with other work needs. */
const FIRES_WITHIN = { timeout: 300_000, interval: 500 }
const RESOLVES_WITHIN = { timeout: 300_000, interval: 500 }
const CHECKS_WITHIN = { timeout: 180_000, interval: 500 }
/** Of three seconds: as many scrapes and evaluations. */
const SILENT_CHECKS = 6

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
    await vi.waitFor(() => round.check?.(scene), CHECKS_WITHIN)
  } finally {
    await round.repair(scene)
    say(`repaired: ${round.fault}`)
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
    const active = matching(await prometheus.active(name), labels)
    const found = active.filter(({ state }) => state === 'firing')
    expect(found, `${name} fires with ${JSON.stringify(labels)}`).not.toEqual([])
    return found
  }, FIRES_WITHIN)

/**
 * Resolves once the alert has been neither firing nor pending in some checks in a row. Those count in which the last scrape
 * of its processes succeeded: on a busy machine a scrape may come too late, and an alert without series ends.
 */
async function untilSilent(prometheus: Prometheus, name: string, labels: Labels = {}) {
  let silent = 0
  await vi.waitFor(async () => {
    const active = matching(await prometheus.active(name), labels)
    const down = (await prometheus.targets()).filter(
      ({ health, labels: own }) => health !== 'up' && isRead(own, labels),
    )
    if (active.length > 0) silent = 0
    else if (down.length === 0) silent += 1
    const state = JSON.stringify({ active, down: down.map(({ labels: own }) => own['pod']) })
    expect(silent, `${name} is resolved: ${state}`).toBeGreaterThanOrEqual(SILENT_CHECKS)
  }, RESOLVES_WITHIN)
}

/** Whether the series of an alert with these labels may come from a target: from the operator, or from a Facilitator's pods. */
const isRead = (target: Labels, { job, namespace }: Labels): boolean =>
  job === undefined ? target['namespace'] === namespace : target['job'] === job

const matching = (all: readonly ActiveAlert[], labels: Labels = {}): readonly ActiveAlert[] =>
  all.filter((each) =>
    Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  )
