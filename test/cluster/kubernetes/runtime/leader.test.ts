import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, vi } from 'vitest'
import { leases } from '../../../../src/kubernetes/runtime/election/lease.ts'
import { clientFor } from './support/client-for.ts'
import { patience, test } from './support/operator.ts'

interface Candidate extends AsyncDisposable {
  readonly process: ChildProcess
  readonly lines: readonly string[]
  readonly exited: Promise<number | null>
}

function startCandidate(
  kubeconfig: string,
  namespace: string,
  identity: string,
  durationMs: number,
): Candidate {
  const file = new URL('./support/candidate.ts', import.meta.url).pathname
  const args = [file, kubeconfig, namespace, identity, `${durationMs}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return {
    process: child,
    lines,
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

const leads = ({ lines }: Candidate): boolean => lines.some((line) => line.startsWith('leads'))

/** Sends a signal to the first of two processes; resolves with the milliseconds until the second leads. */
async function succession(second: Candidate, act: () => void): Promise<number> {
  const from = performance.now()
  act()
  await vi.waitFor(() => expect(leads(second)).toBe(true), { ...patience, timeout: 240_000 })
  return performance.now() - from
}

describe('on a real API server, with two processes', () => {
  test('the second leads soon after the first ends gracefully', async ({ place, cluster }) => {
    const { namespace } = place
    await using first = startCandidate(cluster.kubeconfigPath, namespace, 'first', 30_000)
    await vi.waitFor(() => expect(leads(first)).toBe(true), patience)
    await using second = startCandidate(cluster.kubeconfigPath, namespace, 'second', 30_000)
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(second.lines).toEqual([])

    const tookMs = await succession(second, () => first.process.kill('SIGTERM'))
    expect(await first.exited).toBe(0)
    expect([first.lines, second.lines]).toEqual([['leads 1', 'ends stopped'], ['leads 2']])
    // Had it waited for the lease to run out, it would have been more than 26 s.
    expect(tookMs).toBeLessThan(15_000)
    const lease = await clientFor(cluster.kubeconfigPath).get(leases, { namespace, name: 'leader' })
    expect(lease.spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: 2 })
  })

  test('the second waits for the lease of the first, which crashed', async ({ place, cluster }) => {
    await using first = startCandidate(cluster.kubeconfigPath, place.namespace, 'first', 9_000)
    await vi.waitFor(() => expect(leads(first)).toBe(true), patience)
    await using second = startCandidate(cluster.kubeconfigPath, place.namespace, 'second', 9_000)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const tookMs = await succession(second, () => first.process.kill('SIGKILL'))

    expect(tookMs).toBeGreaterThan(3_000)
    expect(second.lines).toEqual(['leads 2'])
  })

  test('the first ends with an error when it was paused past its lease', async ({
    place,
    cluster,
  }) => {
    await using first = startCandidate(cluster.kubeconfigPath, place.namespace, 'first', 9_000)
    await vi.waitFor(() => expect(leads(first)).toBe(true), patience)
    await using second = startCandidate(cluster.kubeconfigPath, place.namespace, 'second', 9_000)
    await succession(second, () => first.process.kill('SIGSTOP'))
    first.process.kill('SIGCONT')

    expect(await first.exited).toBe(1)
    expect(first.lines).toEqual(['leads 1', 'ends lost'])
  })
})
