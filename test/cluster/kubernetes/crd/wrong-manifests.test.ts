import { describe, expect } from 'vitest'
import {
  rightManifests,
  type WrongManifest,
  wrongManifests,
} from '../../../support/api/wrong/wrong-manifests.ts'
import { test } from '../../support/cluster-test.ts'
import { installDefinitions } from './objects.ts'
import { judgeIn, type Verdict } from './verdicts.ts'

const AT_ONCE = 8

/** Of a verdict that differs from the row, both. */
function differenceOf({ written, by, at, says }: WrongManifest, verdict: Verdict) {
  const isAt = at === undefined || verdict.says.includes(`${at}: `)
  const isAsSaid = verdict.by === by && isAt && verdict.says.includes(says)
  return isAsSaid ? [] : [{ written, expected: { by, at, says }, verdict }]
}

/** The API server's own sentence about a pattern, about a rule that failed, and about names of its own kinds. */
const unreadable = /should match|evaluat|regular expression|regex/

describe('N9, N10: a wrong manifest', () => {
  test.for([...wrongManifests].map(([table, rows]) => ({ table, rows })))(
    'of the table $table is refused in words, or named by a condition',
    async ({ rows }, { cluster }) => {
      await installDefinitions(cluster)
      await using namespace = await cluster.namespace('wrong')
      const judge = judgeIn(cluster, namespace.name)
      const waiting = [...rows]
      const differences: unknown[] = []
      const lane = async () => {
        for (let row = waiting.shift(); row; row = waiting.shift()) {
          const verdict = await judge(row)
          differences.push(...differenceOf(row, verdict))
          if (unreadable.test(verdict.says)) differences.push({ written: row.written, verdict })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, lane))

      expect(differences).toEqual([])
    },
  )
})

test('a manifest that is almost wrong is accepted, and no condition is against it', async ({
  cluster,
}) => {
  await installDefinitions(cluster)
  await using namespace = await cluster.namespace('right')
  const judge = judgeIn(cluster, namespace.name)
  const objections: unknown[] = []
  for (const right of rightManifests) {
    const verdict = await judge(right)
    if (verdict.by !== 'silent') objections.push({ written: right.written, verdict })
  }

  expect(objections).toEqual([])
})
