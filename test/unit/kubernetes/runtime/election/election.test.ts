import { describe, expect, test } from 'vitest'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import type {
  ElectionEnd,
  ElectorOptions,
  Term,
} from '../../../../../src/kubernetes/runtime/election/election.ts'
import { createElector } from '../../../../../src/kubernetes/runtime/election/election.ts'
import type { Lease, LeaseSpec } from '../../../../../src/kubernetes/runtime/election/lease.ts'
import type { KubeObject } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { half, silentLogger } from '../support/silence.ts'

const name = { namespace: 'ns', name: 'lease' }

/** One lease on an API server: a write with another version than the current one is a conflict. */
class LeaseServer {
  spec: LeaseSpec | undefined
  version = 0
  down = false
  /** The next write fails after this. */
  hang: (() => Promise<void>) | undefined

  client(): ElectorOptions['client'] {
    const answer = <T extends KubeObject>(): T => {
      const metadata = { ...name, uid: 'uid', resourceVersion: `${this.version}` }
      const lease: Lease = {
        apiVersion: 'v1',
        kind: 'Lease',
        metadata,
        ...(this.spec && { spec: this.spec }),
      }
      return lease as KubeObject as T
    }
    return {
      get: async <T extends KubeObject>() => {
        this.#up()
        if (!this.spec) throw new KubeError({ kind: 'notFound', message: 'no lease' })
        return answer<T>()
      },
      create: async <T extends KubeObject>(
        _: unknown,
        body: { readonly [member: string]: unknown },
      ) => {
        this.#up()
        if (this.spec) throw new KubeError({ kind: 'conflict', message: 'there is one' })
        this.spec = body['spec'] as LeaseSpec
        this.version += 1
        return answer<T>()
      },
      patch: async <T extends KubeObject>(_: unknown, __: unknown, body: object) => {
        const { hang } = this
        this.hang = undefined
        if (hang) await hang().then(() => Promise.reject(noAnswer()))
        this.#up()
        const { metadata, spec } = body as {
          metadata: { resourceVersion: string }
          spec: LeaseSpec
        }
        if (metadata.resourceVersion !== `${this.version}`) {
          throw new KubeError({ kind: 'conflict', message: 'another version' })
        }
        this.spec = { ...this.spec, ...spec }
        this.version += 1
        return answer<T>()
      },
    }
  }

  #up(): void {
    if (this.down) throw new KubeError({ kind: 'transport', message: 'down' })
  }
}

const noAnswer = () => new KubeError({ kind: 'transport', message: 'no answer' })

/** A process whose work as a leader is to wait for its stop. */
function startProcess(
  server: LeaseServer,
  identity: string,
  options: Partial<ElectorOptions> & { clock: FakeClock },
) {
  const client = server.client()
  const elector = createElector({
    client,
    lease: name,
    identity,
    random: half,
    logger: silentLogger,
    ...options,
  })
  const stop = new AbortController()
  const terms: Term[] = []
  let end: ElectionEnd | undefined
  const lead = async (term: Term): Promise<void> => {
    terms.push(term)
    const ended = AbortSignal.any([term.signal, stop.signal])
    if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve))
  }
  const running = elector.run({ stop: stop.signal, lead }).then((how) => {
    end = how
  })
  return {
    elector,
    terms,
    running,
    stop: () => stop.abort(),
    end: () => end,
    /** Whether the process may start work that takes this long. */
    mayActFor: (ms: number) =>
      (terms[0]?.validUntil() ?? -Infinity) - options.clock.monotonic() >= ms,
  }
}

describe('the election', () => {
  test('lets one of two lead, and the other within 3 s of a graceful end', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const first = startProcess(server, 'first', { clock })
    await clock.advance(0)
    const second = startProcess(server, 'second', { clock })
    await clock.advance(120_000)
    expect([first.elector.isLeading(), second.elector.isLeading()]).toEqual([true, false])

    first.stop()
    await clock.advance(3_000)
    expect([first.end(), second.elector.isLeading()]).toEqual(['stopped', true])
    expect([first.terms[0]?.epoch, second.terms[0]?.epoch]).toEqual([1, 2])
    expect(first.mayActFor(0)).toBe(false)
    second.stop()
    await clock.advance(10_000)
    expect(server.spec).toMatchObject({
      holderIdentity: '',
      leaseTransitions: 2,
      leaseDurationSeconds: 1,
    })
  })

  test('replaces a crashed leader after its lease ended, at most 34 s later', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    server.spec = {
      holderIdentity: 'crashed',
      leaseDurationSeconds: 30,
      renewTime: 'x',
      leaseTransitions: 7,
    }
    const successor = startProcess(server, 'successor', { clock })
    await clock.advance(29_999)
    expect(successor.elector.isLeading()).toBe(false)
    await clock.advance(4_001)
    expect(successor.elector.isLeading()).toBe(true)
    expect(successor.terms[0]?.epoch).toBe(8)
    successor.stop()
    await clock.advance(5_000)
  })

  test('ends a leader that was paused past its lease, and forbids it to act from the moment it resumes', async () => {
    const [awake, asleep, server] = [new FakeClock(), new FakeClock(), new LeaseServer()]
    const paused = startProcess(server, 'paused', { clock: asleep })
    await asleep.advance(0)
    const successor = startProcess(server, 'successor', { clock: awake })
    await awake.advance(60_000)
    expect(successor.elector.isLeading()).toBe(true)
    // The process is paused: its clock goes on, but its timers do not run.
    expect(paused.mayActFor(20_000)).toBe(true)
    await asleep.advance(60_000)

    expect(paused.mayActFor(0)).toBe(false)
    expect(paused.terms[0]?.signal.aborted).toBe(true)
    expect(paused.end()).toBe('lost')
    successor.stop()
    await awake.advance(5_000)
  })

  test('renews at once after a renewal that hung', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const process = startProcess(server, 'first', { clock })
    await clock.advance(0)
    server.hang = () => clock.sleep(10_000)
    await clock.advance(14_000)
    expect(process.mayActFor(30_000)).toBe(true)
    process.stop()
    await clock.advance(5_000)
  })

  test('gives up 20 s after the last renewal while the server is down, before another may lead', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const process = startProcess(server, 'first', { clock })
    await clock.advance(8_000)
    server.down = true
    await clock.advance(19_999)
    expect(process.elector.isLeading()).toBe(true)
    expect(process.mayActFor(10_000)).toBe(true)
    await clock.advance(1)
    expect(process.terms[0]?.signal.aborted).toBe(true)
    await clock.advance(2_000)
    expect(process.end()).toBe('lost')
  })

  test('keeps leading when the server is down for less than that', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const process = startProcess(server, 'first', { clock })
    await clock.advance(4_000)
    server.down = true
    await clock.advance(15_000)
    server.down = false
    await clock.advance(60_000)

    expect(process.elector.isLeading()).toBe(true)
    process.stop()
    await clock.advance(5_000)
  })

  test('ends when its lease is taken from it or deleted', async () => {
    for (const taken of [{ holderIdentity: 'thief' }, undefined]) {
      const [clock, server] = [new FakeClock(), new LeaseServer()]
      const process = startProcess(server, 'first', { clock })
      await clock.advance(1_000)
      server.spec = taken
      server.version += 1
      await clock.advance(6_000)

      expect(process.end()).toBe('lost')
    }
  })

  test('is not affected by jumps of the wall clock', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const first = startProcess(server, 'first', { clock })
    await clock.advance(0)
    const second = startProcess(server, 'second', { clock })
    for (const minutes of [10, -20, 10]) {
      clock.jump(minutes * 60_000)
      await clock.advance(90_000)
    }

    expect([first.end(), second.elector.isLeading()]).toEqual([undefined, false])
    first.stop()
    second.stop()
    await clock.advance(5_000)
  })

  test('counts validUntil from before each renewal', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const process = startProcess(server, 'first', { clock })
    await clock.advance(0)

    expect([process.mayActFor(30_000), process.mayActFor(30_001)]).toEqual([true, false])
    await clock.advance(3_999)
    expect(process.mayActFor(26_002)).toBe(false)
    await clock.advance(1)
    expect(process.mayActFor(30_000)).toBe(true)
    process.stop()
    await clock.advance(5_000)
  })

  test('rejects with the error of lead, and releases the lease', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const options = {
      client: server.client(),
      lease: name,
      identity: 'x',
      clock,
      random: half,
      logger: silentLogger,
    }
    const lead = async () => {
      throw new Error('work failed')
    }
    const failed = expect(
      createElector(options).run({ stop: new AbortController().signal, lead }),
    ).rejects.toThrow('work failed')
    await clock.advance(1_000)
    await failed

    expect(server.spec?.holderIdentity).toBe('')
  })

  test('leads again after a lost term, with a higher epoch and only when the lost work has ended', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const elector = createElector({
      client: server.client(),
      lease: name,
      identity: 'first',
      clock,
      random: half,
      logger: silentLogger,
    })
    const stop = new AbortController()
    const epochs: number[] = []
    const ends: ElectionEnd[] = []
    const release = Promise.withResolvers<void>()
    // The work of the first term ignores that its lease is lost.
    const run = () =>
      elector
        .run({
          stop: stop.signal,
          lead: async ({ epoch }) => {
            epochs.push(epoch)
            await (epochs.length === 1 ? release.promise : stopped)
          },
        })
        .then((end) => ends.push(end))
    const stopped = new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
    void run()
    await clock.advance(1_000)
    await expect(elector.run({ stop: stop.signal, lead: async () => undefined })).rejects.toThrow(
      TypeError,
    )
    server.spec = { holderIdentity: '', leaseTransitions: 5 }
    server.version += 1
    await clock.advance(7_000)
    expect(ends).toEqual(['lost'])

    void run()
    await clock.advance(60_000)
    expect(epochs).toEqual([1])
    release.resolve()
    await clock.advance(10_000)
    expect([epochs, elector.isLeading()]).toEqual([[1, 6], true])
    stop.abort()
    await clock.advance(5_000)
    expect([ends, server.spec?.holderIdentity]).toEqual([['lost', 'stopped'], ''])
  })

  test('is healthy while it renews, and after it stopped', async () => {
    const [clock, server] = [new FakeClock(), new LeaseServer()]
    const process = startProcess(server, 'first', { clock })
    await clock.advance(10_000)
    expect(process.elector.isHealthy()).toBe(true)
    process.stop()
    await clock.advance(5_000)
    expect(process.elector.isHealthy()).toBe(true)
  })
})
