import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import type { World } from '../support/world.ts'
import { images } from '../support/world-places.ts'

const run = promisify(execFile)
const FOLDER = '/run/netns'

export interface PodNetwork {
  readonly address: string
  /** Words before a command that runs in the network of the pod: policies see the pod's address. */
  readonly enter: readonly string[]
}

/** A pod that does nothing, so that a program of this machine can use its network. */
export async function openPodNetwork(
  { cluster, apply }: World,
  namespace: string,
  name: string,
): Promise<PodNetwork> {
  await apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'idle',
            image: images.tools,
            command: ['node', '-e', 'setInterval(() => undefined, 1e6)'],
          },
        ],
      },
    },
  ])
  return vi.waitFor(
    async () => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}`
      const { podIP: address } = Object((await cluster.request('GET', path)).body['status'])
      if (typeof address !== 'string') throw new Error(`the pod ${name} has no address`)
      return { address, enter: ['nsenter', `--net=${await networkWith(address)}`, '--'] }
    },
    { timeout: 90_000, interval: 500 },
  )
}

async function networkWith(address: string): Promise<string> {
  for (const file of await readdir(FOLDER)) {
    const path = join(FOLDER, file)
    const found = await run('nsenter', [`--net=${path}`, 'hostname', '-I']).catch(() => undefined)
    if (found?.stdout.split(/\s+/).includes(address)) return path
  }
  throw new Error(`no network has the address ${address}`)
}
