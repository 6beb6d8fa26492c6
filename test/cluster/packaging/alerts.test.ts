import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test as plain } from 'vitest'
import { toYaml } from '../../../src/kubernetes/crd/definitions/yaml.ts'
import { alertRules, alerts } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import { promtool } from '../support/tools.ts'
import type { AlertCase } from './alert-cases/alert-case.ts'
import { alertCases } from './alert-cases/all-cases.ts'
import { matchers } from './alert-cases/series.ts'

const run = promisify(execFile)

const test = plain.extend<{ promtoolPath: string }>({
  promtoolPath: async ({ skip }, use) => {
    const tool = await promtool()
    if ('missing' in tool) return skip(tool.missing)
    await use(tool.path)
  },
})

const rules = alertRules({ matchers })

const ruleOf = (name: string) => {
  const rule = rules.find(({ alert }) => alert === name)
  if (!rule) throw new Error(`there is no alert ${name}`)
  return rule
}

/** The case in the format of promtool. */
function testOf({ alert, does, series, at, description, labels = {} }: AlertCase): object {
  const rule = ruleOf(alert)
  const fired = {
    exp_labels: { ...rule.labels, ...labels },
    exp_annotations: { ...rule.annotations, description },
  }
  return {
    name: `${alert} ${does}`,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: at, alertname: alert, exp_alerts: description === undefined ? [] : [fired] },
    ],
  }
}

/** Each alert in a file of its own, so that a case evaluates one rule and not all of them. */
async function checkRules(path: string, cases: readonly AlertCase[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-alerts-'))
  try {
    const files = [...Map.groupBy(cases, ({ alert }) => alert)].map(async ([alert, own]) => {
      const rules = `${alert}.rules.yaml`
      await writeFile(
        join(folder, rules),
        toYaml({ groups: [{ name: alert, rules: [ruleOf(alert)] }] }),
      )
      const file = join(folder, `${alert}.yaml`)
      const settings = { rule_files: [rules], evaluation_interval: '1m' }
      await writeFile(file, toYaml({ ...settings, tests: own.map(testOf) }))
      return file
    })
    await run(path, ['test', 'rules', ...(await Promise.all(files))])
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('alerts', () => {
  test('have a case that fires and one that does not', () => {
    for (const { name } of alerts) {
      const cases = alertCases.filter(({ alert }) => alert === name)
      expect(
        cases.some(({ description }) => description !== undefined),
        `${name} fires`,
      ).toBe(true)
      expect(
        cases.some(({ description }) => description === undefined),
        `${name} does not fire`,
      ).toBe(true)
    }
  })

  // One call of promtool for all of them; it names those that fail.
  test('fire and stay silent as every case says', async ({ promtoolPath }) => {
    await checkRules(promtoolPath, alertCases)
  })

  test('with another description than expected fail the test', async ({ promtoolPath }) => {
    const [first] = alertCases
    if (!first) throw new Error('there are no cases')
    await expect(
      checkRules(promtoolPath, [{ ...first, description: 'Another sentence.' }]),
    ).rejects.toThrow()
  })
})
