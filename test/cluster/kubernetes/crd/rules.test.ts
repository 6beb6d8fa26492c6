import { describe, expect } from 'vitest'
import type { Manifest } from '../../../support/api/manifests.ts'
import { type RuleCase, ruleCases, type Write } from '../../../support/api/rule-cases.ts'
import type { Cluster } from '../../support/cluster.ts'
import { test } from '../../support/cluster-test.ts'
import type { Answer } from '../../support/kube-request.ts'
import { installDefinitions, objectsIn, wordsOf } from './objects.ts'

let installed: Promise<void> | undefined

async function answersTo(cluster: Cluster, writes: readonly Write[]): Promise<Answer[]> {
  installed ??= installDefinitions(cluster)
  await installed
  await using namespace = await cluster.namespace('rules')
  const objects = objectsIn(cluster, namespace.name)
  return await Promise.all(
    writes.map(async ({ before, after }, at) => {
      if (!before) return objects.tryCreate(after)
      const named = ({ metadata, ...rest }: Manifest): Manifest => ({
        ...rest,
        metadata: { ...metadata, name: `case-${at}` },
      })
      await objects.create(named(before))
      return objects.tryReplace(named(after))
    }),
  )
}

const title = ({ kind, at, message }: RuleCase) => `${kind} ${at}: ${message}`

describe('the API server', () => {
  test.for(ruleCases.map((each) => ({ each, name: title(each) })))(
    'accepts and refuses by the rule of $name',
    async ({ each: { accepted, refused, message } }, { cluster }) => {
      const [passed, stopped] = [
        await answersTo(cluster, accepted),
        await answersTo(cluster, refused),
      ]

      expect(passed.map(({ status, text }) => (status < 300 ? 'passed' : text))).toEqual(
        accepted.map(() => 'passed'),
      )
      expect(stopped.map(({ status }) => status)).toEqual(refused.map(() => 422))
      for (const answer of stopped) expect(wordsOf(answer)).toContain(message)
    },
  )
})
