import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, inject, test } from 'vitest'
import { expectNothingLost, underLoad } from '../../support/load.ts'
import { type OwnShop, openOwnShop } from '../../support/own-shop.ts'
import { containerOf, facilitatorPods, firstPod, processesOf, signalPod, until } from '../shop.ts'

let world: OwnShop

beforeAll(async () => {
  world = await openOwnShop(inject('world'), 'kills')
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('kill -9 of a pod: nothing is lost, and the kubelet starts it again', async () => {
  const row = await underLoad(world, 'Pod killed', async () => {
    const pod = await firstPod(world, world.shop, facilitatorPods)
    const { name } = pod.metadata
    const before = (await containerOf(world, name))?.restartCount ?? 0
    await signalPod(pod, 'SIGKILL')
    await until(async () => {
      const container = await containerOf(world, name)
      return container?.restartCount === before + 1 && container.ready
    })
    await world.ready()
    return 'SIGKILL to the process of one of 2 pods'
  })

  expectNothingLost(row)
})

test('out of memory: nothing is lost, and the pod says OOMKilled and serves again', async () => {
  const row = await underLoad(world, 'Pod out of memory', async () => {
    const pod = await firstPod(world, world.shop, facilitatorPods)
    const { name } = pod.metadata
    await exhaustMemoryOf((await processesOf(pod))[0] ?? 0)
    await until(async () => {
      const container = await containerOf(world, name)
      return container?.lastState.terminated?.reason === 'OOMKilled' && container.ready
    })
    await world.ready()
    return 'another process uses up the memory limit of one of 2 pods: `OOMKilled`'
  })

  expectNothingLost(row)
})

/** Takes 16 MiB every 20 ms until the kernel ends something. */
const HOG = 'const held = []; setInterval(() => held.push(Buffer.alloc(16 << 20, 1)), 20)'

/**
 * Starts a process in the memory cgroup of that one. The kubelet gives the processes of such pods a high OOM score, so
 * the kernel ends that one. Resolves when it has ended.
 */
async function exhaustMemoryOf(pid: number): Promise<void> {
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8')
  const path = /^\d+:memory:(.+)$/m.exec(groups)?.[1]
  if (path === undefined)
    throw new Error(`process ${pid} has no memory cgroup of version 1: ${groups}`)
  const hog = spawn(process.execPath, ['-e', HOG], { stdio: 'ignore' })
  const ended = once(hog, 'exit')
  await once(hog, 'spawn')
  try {
    await writeFile(`/sys/fs/cgroup/memory${path}/cgroup.procs`, String(hog.pid))
    await until(async () => {
      try {
        process.kill(pid, 0)
        return false
      } catch {
        return true
      }
    })
  } finally {
    hog.kill('SIGKILL')
    await ended
  }
}
