import { describe, expect, test } from 'vitest'
import { metricTable } from '../../../../../src/platform/telemetry/metrics/metric-table.ts'
import { createMetrics } from '../../../../../src/platform/telemetry/metrics/metrics.ts'

describe('the metrics', () => {
  test('are exactly those of the table, each with its meaning', async () => {
    const { text } = await createMetrics().expose()
    const exposed = [...text.matchAll(/^# HELP (?<name>\S+) (?<help>.+)$/gm)].map(({ groups }) => ({
      ...groups,
    }))
    const declared = Object.values(metricTable).map(({ name, help }) => ({ name, help }))

    expect(exposed.sort(byName)).toEqual(declared.sort(byName))
  })

  test.each(Object.values(metricTable))('expose $name as a $kind', async ({ name, kind }) => {
    expect((await createMetrics().expose()).text).toContain(`# TYPE ${name} ${kind}\n`)
  })

  test('count requests by method, route and status in seconds', async () => {
    const metrics = createMetrics()
    metrics.observeRequest({ method: 'POST', route: '/settle', status: 200, seconds: 4 })
    const { text } = await metrics.expose()

    const labels = 'method="POST",route="/settle",status="200"'
    expect(text).toContain(`svc_http_request_duration_seconds_sum{${labels}} 4`)
    expect(text).toContain(`svc_http_request_duration_seconds_bucket{le="5",${labels}} 1`)
    expect(text).toContain(`svc_http_request_duration_seconds_bucket{le="2.5",${labels}} 0`)
  })

  test('name those of the process with their prefix', async () => {
    const { text } = await createMetrics({ processMetrics: true }).expose()
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    const declared: unknown[] = Object.values(metricTable).map(({ name }) => name)

    const others = names.filter((name) => !declared.includes(name))
    expect(others.length).toBeGreaterThan(10)
    expect(others.filter((name) => !name?.startsWith('svc_process_'))).toEqual([])
    expect(text).not.toContain('process_process')
    expect(others).toEqual(
      expect.arrayContaining([
        'svc_process_cpu_seconds_total',
        'svc_process_nodejs_eventloop_lag_seconds',
      ]),
    )
  })
})

const byName = (a: { name?: string }, b: { name?: string }) =>
  (a.name ?? '').localeCompare(b.name ?? '')
