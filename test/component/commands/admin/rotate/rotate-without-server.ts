/** `svc rotate` that loses the RPC or the database for the rest of its process, in each of its steps. */
import { expect } from 'vitest'
import type { ServerName } from '../../../../support/gated-servers.ts'
import { atNumber, type Cut } from '../../../../support/write-gate.ts'
import type { RotateWorld } from './rotate-world.ts'
import { drain, plannedWrites, provision } from './rotate-writes.ts'

interface Round {
  readonly step: string
  readonly at: 'start' | 'wait' | Cut
  readonly server: ServerName
}

const says: Readonly<Record<ServerName, RegExp>> = {
  rpc: /see that TESTNET_RPC_URL names endpoints of stellar:testnet that this machine reaches/,
  store:
    /Nothing accepts connections at .* Start Postgres there|The connection to .* ended without/,
}

const last = (name: string): number => plannedWrites.lastIndexOf(name) + 1
const beforeWrite = (at: number): Cut => atNumber(at, 'before')

/** Where each step loses a server. */
const steps: readonly (readonly [step: string, at: Round['at']])[] = [
  ['the check', 'start'],
  ['provision, before it sends', beforeWrite(provision.indexOf('sendTransaction') + 1)],
  ['provision, after it has sent', atNumber(provision.indexOf('sendTransaction') + 1, 'after')],
  ['the wait for replicas', 'wait'],
  ['drain', beforeWrite(provision.length + drain.length)],
  ['retire, after it has merged', beforeWrite(last('update channels'))],
  ['the sweep', beforeWrite(last('sendTransaction'))],
]

/** Each step without each of the servers. */
export const rounds: readonly Round[] = steps.flatMap(([step, at]) =>
  (['rpc', 'store'] as const).map((server) => ({ step, at, server })),
)

/** It says which server is lost, and goes on when it is run again. */
export async function playOutage(world: RotateWorld, { at, server }: Round): Promise<void> {
  const pair = await world.pair('planned')
  const stop = typeof at === 'string' ? undefined : at
  await using servers = await world.gated({ stop, atStop: ({ cut }) => cut(server) })
  if (at === 'start') servers.cut(server)
  if (at === 'wait') await pair.serve(false)
  using rotating = pair.start(servers.env)
  if (at === 'wait') {
    await rotating.printed(/No replica serves the new sponsor yet/)
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
}
