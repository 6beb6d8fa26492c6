import { describe, expect, vi } from 'vitest'
import { alertRules } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import { monitor } from '../../../src/kubernetes/operator/facilitator/render/monitoring.ts'
import { openWallet, payment } from '../../support/payments.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { startStack } from '../../support/stack.ts'
import { desiredWith } from '../../unit/kubernetes/operator/facilitator/builders.ts'
import { openPoolWorld } from '../kubernetes/operator/channel-pool/pool-world.ts'
import { test } from '../support/cluster-test.ts'
import { startPrometheus } from '../support/prometheus-process.ts'
import { prometheus } from '../support/tools.ts'
import { matchers, ofInstall, onTestnet } from './alert-cases/series.ts'

const soon = { timeout: 45_000, interval: 200 }
const rules = alertRules({ matchers })
/** Of the Facilitator shop/payments with the pool testnet, as the operator applies it. */
const [endpoint] = Object(monitor(desiredWith())['spec']).podMetricsEndpoints
/** As the monitor of the chart has them. */
const ofOperator = Object.entries(ofInstall).map(([targetLabel, replacement]) => ({
  ...{ action: 'replace', targetLabel, replacement },
}))

describe('a Prometheus', () => {
  test('scrapes a facilitator and an operator, and fires when they fail', {
    timeout: 240_000,
  }, async ({ cluster, skip }) => {
    const tool = await prometheus()
    if ('missing' in tool) return skip(tool.missing)
    await using proxy = await startRpcProxy()
    await using stack = await startStack({ rpcThrough: (url) => proxy.forwardTo(url) })
    await using world = await openPoolWorld(cluster)
    await using operator = world.operate()
    const targets = {
      facilitator: { ...endpoint, url: stack.baseUrl },
      operator: { url: await operator.adminUrl, relabelings: ofOperator },
    }
    await using server = await startPrometheus({ path: tool.path, rules, targets })
    const up = { facilitator: 'up', operator: 'up' }
    await vi.waitFor(async () => expect(await server.health()).toEqual(up), soon)
    await vi.waitFor(async () => expect(await server.firing()).toEqual([]), soon)

    // Stellar RPC closes the connection of every payment.
    const payer = await openWallet(stack.localnet)
    const { address: payTo } = await openWallet(stack.localnet)
    const body = await payment(stack.localnet, { payer, payTo })
    proxy.fail('*', { kind: 'hang up' })
    await vi.waitFor(async () => {
      await stack.post('/verify', body)
      expect(await server.firing()).toContain('X402RpcFailing')
    }, soon)
    expect(await server.labelsOf('X402RpcFailing')).toEqual([
      { alertname: 'X402RpcFailing', severity: 'critical', ...onTestnet },
    ])
    proxy.heal()

    // The only operator ends.
    operator.kill('SIGKILL')
    await vi.waitFor(async () => {
      expect(await server.firing()).toContain('X402OperatorNoLeader')
      expect(await server.health()).toEqual({ facilitator: 'up', operator: 'down' })
    }, soon)
    expect(await server.labelsOf('X402OperatorNoLeader')).toEqual([
      { alertname: 'X402OperatorNoLeader', severity: 'critical', ...ofInstall },
    ])
  })
})
