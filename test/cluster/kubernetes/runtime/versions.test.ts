import { describe, expect } from 'vitest'
import { documentedApis } from '../../../support/kubernetes-versions.ts'
import { test } from './support/operator.ts'

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[]
}

describe('the discovery documents of a real API server', () => {
  test('have every documented kind, with the verbs that the runtime uses', async ({ place }) => {
    const missing = await Promise.all(
      documentedApis().map(async ({ apiVersion, plurals }) => {
        const root = apiVersion.includes('/') ? '/apis' : '/api'
        const { resources } = (await place.others.read(`${root}/${apiVersion}`)) as ResourceList
        return plurals.filter((plural) => {
          const verbs = resources.find(({ name }) => name === plural)?.verbs ?? []
          return ['get', 'list', 'watch', 'create', 'patch', 'delete'].some(
            (verb) => !verbs.includes(verb),
          )
        })
      }),
    )

    expect(missing.flat()).toEqual([])
  })
})
