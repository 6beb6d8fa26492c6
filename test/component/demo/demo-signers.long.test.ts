import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runningDemo } from '../../../src/demo/state/demo-state.ts'
import { allGone, DemoProcess, ownPlace } from './demo-process.ts'

it('gives the facilitator no seed of a sponsor whose key a sidecar has, and ends with the sidecar', async () => {
  await using place = await ownPlace()
  const folder = join(place.folder, 'demo')
  const flags = ['--signer', 'sidecar', '--store', 'memory', ...place.flags]
  await using demo = new DemoProcess('demo', ...flags)
  await demo.printed(/Ctrl-C stops everything/)

  const state = await runningDemo(folder)
  const { TESTNET_SPONSOR_ADDRESS: address, ...settings } = state?.environment ?? {}
  const seed = await readFile(join(folder, 'signer', 'sponsor.seed'), 'utf8')
  expect(JSON.stringify(settings)).not.toContain(seed.trim())
  expect(settings['TESTNET_SPONSOR_SIGNER']).toBe(`unix:${join(folder, 'signer', 'socket')}`)
  expect(state?.parties.sponsor).toBe(address)
  expect(await readFile(join(folder, 'signer', 'signatures.jsonl'), 'utf8')).toContain('settlement')

  const processes = await demo.descendants()
  process.kill(await demo.child(/signer-sidecar/), 'SIGKILL')
  const { code, output } = await demo.ended
  expect(code).toBe(1)
  expect(output).toContain('the sidecar was stopped')
  await allGone(processes)
  expect(await readdir(folder)).not.toContain('signer')
})
