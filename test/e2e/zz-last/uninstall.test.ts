import { beforeAll, expect, inject, test } from 'vitest'
import { accountKey, readAccount } from '../../../src/stellar/accounts/account-entries.ts'
import { expectNothingLost, underLoad } from '../support/load.ts'
import { openWorld, type World } from '../support/world.ts'
import { documented, installOperator } from '../support/world-install.ts'
import { names, places } from '../support/world-places.ts'

/** An address that outlives the Service of the facilitator, which goes with it. */
const STABLE_ADDRESS = '10.96.0.90'
const selector = {
  'app.kubernetes.io/instance': names.facilitator,
  'app.kubernetes.io/component': 'facilitator',
}

let world: World

beforeAll(async () => {
  world = await openWorld(inject('world'))
})

test('uninstalled under load in the documented order, and installed again: no payment is lost or made twice', async () => {
  await world.apply([
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'stable', namespace: places.shop },
      spec: { clusterIP: STABLE_ADDRESS, selector, ports: [{ port: 80, targetPort: 8080 }] },
    },
  ])
  await type(
    `kubectl -n ${places.shop} patch channelpool/${names.pool} --type=merge -p '{"spec":{"deletionPolicy":"Retire"}}'`,
  )
  await world.ready()
  // Eight channels and the settlement authority, and the mark of the store.
  expect(await lockedEntries()).toEqual({ sponsoring: 18, subentries: 1 })

  const target = { ...world, facilitatorUrl: `http://${STABLE_ADDRESS}` }
  const row = await underLoad(target, 'Uninstalled, and installed again', async () => {
    await type(documented('Uninstall', 'helm uninstall'))
    expect(await lockedEntries()).toEqual({ sponsoring: 0, subentries: 0 })
    await expectNothingLeft()
    await type(documented('Uninstall', 'kubectl delete crd'))
    await type(`kubectl delete namespace ${places.operator}`)

    await installOperator(world.shell)
    await type(documented('A facilitator', 'apply -f facilitator.yaml'), world.folder)
    await world.ready()
    return 'the documented commands with a pool of the policy Retire, whose channels are merged; then installed by the documented commands'
  })

  expectNothingLost(row)
})

/** What docs/install.md says stays: the definitions, and what the administrator created. */
async function expectNothingLeft(): Promise<void> {
  await type(
    `kubectl -n ${places.shop} wait --for=delete pods,deployments,services -l app.kubernetes.io/managed-by=stellar-x402-operator --timeout=90s
     kubectl -n ${places.operator} wait --for=delete pod --all --timeout=90s`,
  )
  const kinds =
    'deployments,replicasets,pods,services,configmaps,jobs,networkpolicies,poddisruptionbudgets,serviceaccounts,horizontalpodautoscalers'
  expect(await objects(`kubectl -n ${places.shop} get ${kinds} -o name`)).toEqual([
    'configmap/kube-root-ca.crt',
    'service/stable',
    'serviceaccount/default',
  ])
  expect(await objects(`kubectl -n ${places.operator} get ${kinds} -o name`)).toEqual([
    'configmap/kube-root-ca.crt',
    'serviceaccount/default',
  ])
  const wide = await objects('kubectl get crd,clusterrole,clusterrolebinding -o name')
  expect(wide.filter((name) => name.includes('x402'))).toEqual([
    'customresourcedefinition.apiextensions.k8s.io/channelpools.x402.svc.dev',
    'customresourcedefinition.apiextensions.k8s.io/facilitators.x402.svc.dev',
  ])
}

const objects = async (command: string): Promise<readonly string[]> =>
  (await type(command)).trim().split('\n').sort()

const type = (lines: string, folder?: string): Promise<string> =>
  world.shell.type(folder === undefined ? lines : `cd ${folder}\n${lines}`)

/** Entries of the ledger that lock reserves of the sponsor: those of others, two for each account, and its own. */
async function lockedEntries() {
  const params = { keys: [accountKey(world.sponsor.address)] }
  const answer = await fetch(world.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLedgerEntries', params }),
  })
  const { result } = Object(await answer.json())
  const { sponsoring, subentries } = Object(readAccount(result.entries[0].xdr))
  return { sponsoring, subentries }
}
