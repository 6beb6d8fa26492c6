import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test as plain } from 'vitest'
import { toYaml } from '../../../src/api/yaml.ts'
import { alertRules, alerts } from '../../../src/operator/facilitator/alerts.ts'
import { promtool } from '../support/tools.ts'
import type { AlertCase } from './alert-case.ts'
import { alertCases } from './alert-cases.ts'

const run = promisify(execFile)

const test = plain.extend<{ promtoolPath: string }>({
  promtoolPath: async ({ skip }, use) => {
    const tool = await promtool()
    if ('missing' in tool) return skip(tool.missing)
    await use(tool.path)
  },
})

const rules = (['facilitator', 'operator'] as const).flatMap((scope) =>
  alertRules({ scope, matchers: '' }),
)

const ruleOf = (name: string) => {
  const rule = rules.find(({ alert }) => alert === name)
  if (!rule) throw new Error(`there is no alert ${name}`)
  return rule
}

/** The case in the format of promtool. */
function testOf({ alert, series, at, description, labels = {} }: AlertCase): object {
  const rule = ruleOf(alert)
  const fired = {
    exp_labels: { ...rule.labels, ...labels },
    exp_annotations: { ...rule.annotations, description },
  }
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: at, alertname: alert, exp_alerts: description === undefined ? [] : [fired] },
    ],
  }
}

async function checkRules(path: string, cases: readonly AlertCase[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-alerts-'))
  try {
    await writeFile(join(folder, 'rules.yaml'), toYaml({ groups: [{ name: 'all', rules }] }))
    const file = join(folder, 'test.yaml')
    const settings = { rule_files: ['rules.yaml'], evaluation_interval: '1m' }
    await writeFile(file, toYaml({ ...settings, tests: cases.map(testOf) }))
    await run(path, ['test', 'rules', file])
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

  test.for(alertCases.map((each): [string, string, AlertCase] => [each.alert, each.does, each]))(
    '%s %s',
    async ([, , alertCase], { promtoolPath }) => {
      await checkRules(promtoolPath, [alertCase])
    },
  )

  test('with another description than expected fail the test', async ({ promtoolPath }) => {
    const [first] = alertCases
    if (!first) throw new Error('there are no cases')
    await expect(
      checkRules(promtoolPath, [{ ...first, description: 'Another sentence.' }]),
    ).rejects.toThrow()
  })
})
