import { expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import { createPoolGauges } from '../../../../../../src/kubernetes/operator/channel-pool/status/gauges.ts'
import type { ChangeHandler } from '../../../../../../src/kubernetes/runtime/cache/informer.ts'
import { createInstruments } from '../../../../../../src/platform/telemetry/metrics/instruments.ts'
import { poolManifest } from '../../../../../support/api/manifests.ts'

const pool = (status: object): ChannelPool =>
  Object({
    ...poolManifest(),
    metadata: { name: 'testnet', namespace: 'x402', generation: 3 },
    status,
  })

/** What the gauges show after each change. */
function shown() {
  const instruments = createInstruments()
  const handlers: ChangeHandler<ChannelPool>[] = []
  createPoolGauges(instruments)({ onChange: (handler) => handlers.push(handler) })
  const emit: ChangeHandler<ChannelPool> = (change, initial) => {
    for (const handler of handlers) handler(change, initial)
  }
  const samples = async () =>
    (await instruments.expose()).text.split('\n').filter((line) => line.startsWith('svc_pool_'))
  return { emit, samples }
}

const of = 'namespace="x402",name="testnet",channelpool="testnet"'

test('the gauges of a pool show its status, and disappear with it', async () => {
  const { emit, samples } = shown()
  const channels = { wanted: 8, ready: 7, inUse: 3, draining: 0, quarantined: 1, accounts: 9 }
  const busy = pool({
    channels,
    sponsor: { address: 'G', balanceXlm: '2.5', spendableXlm: '0.5', runwayHours: 40 },
  })
  emit({ type: 'added', object: busy }, true)
  expect(await samples()).toEqual([
    `svc_pool_channels{${of},state="wanted"} 8`,
    `svc_pool_channels{${of},state="ready"} 7`,
    `svc_pool_channels{${of},state="in_use"} 3`,
    `svc_pool_channels{${of},state="draining"} 0`,
    `svc_pool_channels{${of},state="quarantined"} 1`,
    `svc_pool_sponsor_balance_stroops{${of}} 25000000`,
    `svc_pool_sponsor_spendable_stroops{${of}} 5000000`,
    `svc_pool_runway_hours{${of}} 40`,
  ])
  const idle = pool({ sponsor: { address: 'G', balanceXlm: '2' } })
  emit({ type: 'updated', object: idle, previous: busy }, false)
  expect(await samples()).toEqual([`svc_pool_sponsor_balance_stroops{${of}} 20000000`])
  emit({ type: 'deleted', object: idle, previous: idle }, false)
  expect(await samples()).toEqual([])
})

test('a change of the sponsor shows since when its phase lasts, and whether it is blocked, until it has ended', async () => {
  const { emit, samples } = shown()
  const rotating = (phase: string, blocked: boolean, since: string) =>
    pool({ rotation: { phase, blocked, since } })
  const metric = 'svc_pool_rotation_phase_started_seconds'
  const checking = rotating('Checking', true, '2026-01-01T00:00:00.000Z')
  emit({ type: 'added', object: checking }, true)
  expect(await samples()).toEqual([`${metric}{${of},phase="Checking",blocked="true"} 1767225600`])
  const moving = rotating('Moving', false, '2026-01-01T00:01:00.000Z')
  emit({ type: 'updated', object: moving, previous: checking }, false)
  expect(await samples()).toEqual([`${metric}{${of},phase="Moving",blocked="false"} 1767225660`])
  for (const end of ['Done', 'Aborted']) {
    const ended = rotating(end, false, '2026-01-01T00:02:00.000Z')
    emit({ type: 'updated', object: ended, previous: moving }, false)
    expect(await samples()).toEqual([])
    emit({ type: 'updated', object: moving, previous: ended }, false)
  }
})
