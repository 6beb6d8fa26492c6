import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveApi } from '../../../../src/demo/seller/seller.ts'
import { takeFolder, writeState } from '../../../../src/demo/state/demo-folder.ts'
import {
  type ClaimedDemo,
  type DemoState,
  runningDemo,
} from '../../../../src/demo/state/demo-state.ts'

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "svc demo's folder "))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The port on which a server answers the id, as the paid API of a demo does. */
async function apiOf(id: string): Promise<number> {
  const server = createServer()
  serveApi(server, id).start(express())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const claimOf = async (id: string): Promise<ClaimedDemo> => ({
  id,
  pid: process.pid,
  apiPort: await apiOf(id),
})

const started = (claim: ClaimedDemo): DemoState => ({
  ...claim,
  paidUrl: `http://127.0.0.1:${claim.apiPort}/weather`,
  meteredUrl: `http://127.0.0.1:${claim.apiPort}/forecast`,
  facilitatorUrl: 'http://127.0.0.1:8080',
  explorerUrl: 'http://127.0.0.1:8081',
  networkUrl: 'http://127.0.0.1:8000',
  rpcUrl: 'https://127.0.0.1:8443',
  caFile: '/ca.pem',
  passphrase: 'Test SDF Network ; September 2015',
  buyer: { address: 'GBUYER', secret: 'SBUYER' },
  parties: { buyer: 'GBUYER', seller: 'GSELLER', sponsor: 'GSPONSOR' },
  environment: { TESTNET_SPONSOR_SECRET: 'SSPONSOR' },
})

/** No process has this id: a system gives out less than 2 ** 22. */
const DEAD_PID = 2 ** 30

describe('runningDemo', () => {
  it('finds a demo that has started, in a file that only its user may read', async () => {
    const folder = await emptyFolder()
    const claim = await claimOf('one')

    await takeFolder(folder, claim)
    expect(await runningDemo(folder)).toBeUndefined()
    await writeState(folder, started(claim))

    expect(await runningDemo(folder)).toEqual(started(claim))
    expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['demo.json'])
  })

  it.each<{ when: string; left: (claim: ClaimedDemo) => Partial<DemoState> }>([
    { when: 'its process is dead', left: () => ({ pid: DEAD_PID }) },
    { when: 'another demo has its process id and port', left: () => ({ id: 'earlier' }) },
    { when: 'nothing has its port', left: () => ({ apiPort: 1 }) },
  ])('finds none when $when', async ({ left }) => {
    const folder = await emptyFolder()
    const claim = await claimOf('one')
    await writeState(folder, { ...started(claim), ...left(claim) })
    expect(await runningDemo(folder)).toBeUndefined()
  })

  it.each(['', '{', '{}', 'null', '[]'])('finds none in a file with %j', async (text) => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'demo.json'), text)
    expect(await runningDemo(folder)).toBeUndefined()
  })
})

describe('the state of another user', () => {
  it.runIf(process.getuid?.() === 0)('is not believed', async () => {
    const folder = await emptyFolder()
    await writeState(folder, started(await claimOf('one')))
    await chown(join(folder, 'demo.json'), 65_534, 65_534)
    expect(await runningDemo(folder)).toBeUndefined()
  })
})

describe('takeFolder', () => {
  it('removes what a dead demo left, and keeps the certificate', async () => {
    const folder = await emptyFolder()
    await writeState(folder, { ...started(await claimOf('dead')), pid: DEAD_PID })
    await mkdir(join(folder, 'svc-postgres-abc', 'data'), { recursive: true })
    for (const name of ['facilitator.log', 'localnet-ca.pem', 'localnet-tls.pem']) {
      await writeFile(join(folder, name), '')
    }
    await takeFolder(folder, await claimOf('next'))
    expect((await readdir(folder)).sort()).toEqual([
      'demo.json',
      'localnet-ca.pem',
      'localnet-tls.pem',
    ])
  })

  it('lets one of several demos have it that start at the same time', async () => {
    const folder = await emptyFolder()
    const claims = await Promise.all(['a', 'b', 'c', 'd'].map(claimOf))
    const taken = await Promise.allSettled(claims.map((claim) => takeFolder(folder, claim)))
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await readdir(folder)).toEqual(['demo.json'])
  })

  it('refuses a folder with files that no demo wrote, and leaves them alone', async () => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'thesis.tex'), '')
    await writeFile(join(folder, 'facilitator.log'), '')
    await expect(takeFolder(folder, await claimOf('one'))).rejects.toThrow(/holds thesis\.tex/)
    expect((await readdir(folder)).sort()).toEqual(['facilitator.log', 'thesis.tex'])
  })
})
