import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { alerts } from '../../../src/operator/facilitator/alerts.ts'
import { unproven } from '../../e2e-alerts/rounds/unproven.ts'

test('docs/observability.md lists exactly the alerts that no round has proven yet', () => {
  const text = readFileSync(new URL('../../../docs/observability.md', import.meta.url), 'utf8')
  const [, listed = ''] = /^These alerts are not proven yet.*\n\n([^.]*)\.$/m.exec(text) ?? []
  const names = Object.keys(unproven).toSorted()
  expect(listed.split(/,\s+/).toSorted()).toEqual(names)
  expect(alerts.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
})
