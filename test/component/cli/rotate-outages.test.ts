import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServerName } from '../../support/gated-servers.ts'
import { atNumber, type Cut } from '../../support/write-gate.ts'
import { openRotateWorld, type RotateWorld } from './rotate-world.ts'
import { drain, plannedWrites, provision } from './rotate-writes.ts'

/*
 * The RPC or the database is lost for the rest of the process, in each step. `make test` loses one of them in each, `make chaos` both.
 */

const isFull = process.env['CHAOS'] === 'full'
const limits = { timeout: isFull ? 600_000 : 240_000 }

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const says: Readonly<Record<ServerName, RegExp>> = {
  rpc: /see that TESTNET_RPC_URL names endpoints of stellar:testnet that this machine reaches/,
  store:
    /Nothing accepts connections at .* Start Postgres there|The connection to .* ended without/,
}

const last = (name: string): number => plannedWrites.lastIndexOf(name) + 1
const beforeWrite = (at: number): Cut => atNumber(at, 'before')

/** Where each step loses a server; the first of the two in `make test` too. */
const steps: readonly (readonly [
  step: string,
  at: 'start' | 'wait' | Cut,
  servers: readonly ServerName[],
])[] = [
  ['the check', 'start', ['rpc', 'store']],
  [
    'provision, before it sends',
    beforeWrite(provision.indexOf('sendTransaction') + 1),
    ['rpc', 'store'],
  ],
  [
    'provision, after it has sent',
    atNumber(provision.indexOf('sendTransaction') + 1, 'after'),
    ['store', 'rpc'],
  ],
  ['the wait for replicas', 'wait', ['store', 'rpc']],
  ['drain', beforeWrite(provision.length + drain.length), ['rpc', 'store']],
  ['retire, after it has merged', beforeWrite(last('update channels')), ['store', 'rpc']],
  ['the sweep', beforeWrite(last('sendTransaction')), ['rpc', 'store']],
]

const rounds = steps.flatMap(([step, at, servers]) =>
  servers.slice(0, isFull ? 2 : 1).map((server) => ({ step, at, server })),
)

describe.concurrent('svc rotate without a server says which one, and goes on when it is run again', () => {
  test.each(rounds)('$server, lost in $step', limits, async ({ at, server }) => {
    const pair = await world.pair('planned')
    const stop = typeof at === 'string' ? undefined : at
    await using servers = await world.gated({ stop, atStop: ({ cut }) => cut(server) })
    if (at === 'start') servers.cut(server)
    if (at === 'wait') await pair.serve(false)
    using rotating = pair.start(servers.env)
    if (at === 'wait') {
      await rotating.printed(/waits until a replica serves the new sponsor/)
      servers.cut(server)
    }
    expect((await rotating.ended).code).toBe(1)
    if (stop) await servers.gate.reached
    expect(rotating.output).toMatch(says[server])
    expect(rotating.output).toContain('run the same command again: it continues from there')
    expect(rotating.output).not.toMatch(/^ +at /m)

    await pair.serve()
    const again = await pair.run()
    expect(again, again.err).toMatchObject({ code: 0, lines: [{ ok: true }] })
    await pair.expectDone()
    expect(pair.sent).toEqual([true, true, true, true])
  })
})
