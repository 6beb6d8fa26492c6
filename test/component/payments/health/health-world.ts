import { expect, vi } from 'vitest'
import { type HealthSnapshot, healthSchema } from '../../../../src/payments/health/schema.ts'
import { type SteadyClock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Replica, Stack } from '../../../support/stack.ts'

/** A test polls by itself; reads that hang end soon. */
export const timings = {
  monitorMs: 3_600_000,
  readWithinMs: 2_000,
  rpcTimeoutMs: 700,
  countersMs: 20,
}

export const testnet = 'stellar:testnet'

/** The answer of `/health`, checked against its schema. */
export async function healthOf({ baseUrl }: Pick<Replica, 'baseUrl'>): Promise<HealthSnapshot> {
  const response = await fetch(`${baseUrl}/health`)
  if (response.status !== 200) throw new Error(`/health answers ${response.status}`)
  return healthSchema.parse(await response.json())
}

/** Resolves once the first background poll has ended. */
export const untilPolled = (service: Pick<Replica, 'baseUrl'>) =>
  vi.waitFor(async () => expect((await healthOf(service)).checkedAt).not.toBeNull(), {
    timeout: 120_000,
    interval: 20,
  })

/** The answer after a poll. */
export async function polled(service: Pick<Replica, 'baseUrl' | 'facilitator'>) {
  await service.facilitator.health.poll()
  return healthOf(service)
}

/** Of the only network. */
export async function networkOf(service: Pick<Replica, 'baseUrl' | 'facilitator'>) {
  const network = (await polled(service)).networks[testnet]
  if (!network) throw new Error('the network is not listed')
  return network
}

/** Codes of the warnings after a poll, with their contracts. */
export async function warningsOf(service: Pick<Stack, 'baseUrl' | 'facilitator'>) {
  const { warnings, state } = await polled(service)
  return {
    state,
    codes: warnings.map(({ code, contract }) => (contract ? `${code} ${contract}` : code)),
    messages: warnings.map(({ message }) => message),
  }
}

/** The system clock plus an offset that a test sets. */
export class HurriedClock implements SteadyClock {
  #aheadMs = 0
  readonly sleep = systemClock.sleep

  now(): number {
    return systemClock.now() + this.#aheadMs
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#aheadMs
  }

  hurry(ms: number): void {
    this.#aheadMs += ms
  }
}
