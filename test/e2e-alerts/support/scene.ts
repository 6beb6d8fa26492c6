import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { AlertRule } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import { made } from '../../cluster/support/means.ts'
import { prometheus as prometheusTool } from '../../cluster/support/tools.ts'
import { freePort } from '../../support/free-port.ts'
import { scaledRule } from '../../support/scaled-rules.ts'
import { openAlertWorld } from './alert-world.ts'
import { withDiscovered } from './discovered.ts'
import { runPrometheus } from './prometheus.ts'
import type { Scene } from './round.ts'
import { generateScrapeConfig, scrapeConfigTool } from './scrape-config.ts'
import { openTraffic } from './traffic.ts'

/** A minute becomes a second. */
const USUAL_FACTOR = 60

/**
 * Factors of rules whose shortest time, divided by 60, would be shorter than what a process or the API server does at
 * fixed intervals; and of the one that waits for a day.
 */
const factors: Readonly<Record<string, number>> = {
  // A replica searches the store every 5 s, and waits longer for a connection.
  X402StoreDown: 5,
  // A reconcile reaches its limit after 30 s or 60 s.
  X402OperatorQueueStuck: 5,
  // The API server sends a bookmark once a minute.
  X402OperatorStaleCache: 8,
  // The pods read the balance of the sponsor every 15 s.
  X402SponsorBalanceLow: 60,
  X402ObjectPaused: 2_880,
}

const inSeconds = (rule: AlertRule): AlertRule =>
  scaledRule(rule, factors[rule.alert] ?? USUAL_FACTOR)

export type OpenScene = Scene & AsyncDisposable

export async function openScene(): Promise<OpenScene> {
  await using opened = new AsyncDisposableStack()
  const tool = await scrapeConfigTool()
  if ('missing' in tool) throw new Error(tool.missing)
  const installed = await prometheusTool(made)
  if ('missing' in installed) throw new Error(installed.missing)
  const adminPort = await freePort()
  const world = opened.use(await openAlertWorld(adminPort))
  const folder = await mkdtemp(join(tmpdir(), 'svc-scrape-config-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const { kubeconfigPath } = world.cluster
  const { jobs, rules } = await generateScrapeConfig({ tool: tool.path, kubeconfigPath, folder })
  const { path } = installed
  const own = await withDiscovered(world.cluster, jobs, {
    operator: `127.0.0.1:${adminPort}`,
    facilitator: world.facilitator.adminAddress,
    catalog: world.catalog.adminAddress,
    explorer: world.explorer.adminAddress,
  })
  const prometheus = opened.use(
    await runPrometheus({ path, jobs: own, rules: rules.map(inSeconds) }),
  )
  const traffic = opened.use(await openTraffic(world))
  await vi.waitFor(
    async () => {
      const targets = await prometheus.targets()
      const up = targets.filter(({ health }) => health === 'up')
      expect(up.length, JSON.stringify(targets)).toBeGreaterThanOrEqual(4)
    },
    { timeout: 60_000, interval: 500 },
  )
  const resources = opened.move()
  return {
    world,
    traffic,
    prometheus,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
