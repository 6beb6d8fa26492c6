import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { childKinds, typeOf } from '../../../../src/kubernetes/operator/watches/child-kinds.ts'
import { leases } from '../../../../src/kubernetes/runtime/election/lease.ts'
import { apiVersionOf } from '../../../../src/kubernetes/runtime/objects/resource.ts'
import { wellKnown } from '../../../../src/kubernetes/runtime/objects/well-known.ts'
import { documentedApis } from '../../../support/kubernetes-versions.ts'

/** Kinds of CustomResourceDefinitions of others, whose versions are not those of Kubernetes. */
const isForeign = (apiVersion: string) => /^(gateway\.|monitoring\.)/.test(apiVersion)

test('the page about Kubernetes versions has every kind that the operator uses, and no other', () => {
  const types = [...Object.values(wellKnown), ...childKinds.map(typeOf), leases]
  const used = types
    .map((type) => `${apiVersionOf(type)} ${type.plural}`)
    .filter((kind) => !isForeign(kind))
  const documented = documentedApis().flatMap(({ apiVersion, plurals }) =>
    plurals.map((plural) => `${apiVersion} ${plural}`),
  )

  expect(documented.toSorted()).toEqual(
    [...new Set([...used, 'events.k8s.io/v1 events'])].toSorted(),
  )
})

test('no kind is newer than the oldest version that the chart allows', () => {
  const chart = readFileSync(
    new URL('../../../../charts/stellar-x402/Chart.yaml', import.meta.url),
    'utf8',
  )
  const oldest = Number(/^kubeVersion: ">=1\.(\d+)/m.exec(chart)?.[1])

  expect(oldest).toBeGreaterThan(0)
  expect(documentedApis().filter(({ since }) => since > oldest)).toEqual([])
})
