import { vi } from 'vitest'
import { newAccount } from '../../../support/world.ts'
import { pathOf } from '../kinds.ts'
import type { Manifest, Team } from '../team.ts'
import type { Mistake } from './mistake.ts'
import { secret } from './secrets.ts'

/** The team's second namespace. */
export const SECOND = 'team-b-second'
const SPONSOR_XLM = 60
/** A namespace that the operator could not read is looked at again after a minute. */
const patience = { timeout: 240_000, interval: 250 }
/** The pool's channels are merged in some ledgers. */
const inGoodTime = { timeout: 90_000, interval: 250 }

/** Secrets, a pool with channels, and a Facilitator without pods. */
async function fill(team: Team): Promise<void> {
  const { cluster, rpcUrl } = team.shop
  const { address, secret: seed } = newAccount()
  await fetch(`${rpcUrl}/faucet?addr=${address}&asset=XLM&amount=${SPONSOR_XLM}`)
  const objects: Manifest[] = [
    secret('testnet-sponsor', { secret: seed }),
    { ...(await databaseSecret(team)) },
    team.pool('testnet', { channels: 2, deletionPolicy: 'Retire' }),
    team.facilitator('payments', { replicas: 0 }),
  ]
  const items = objects.map(({ kind, metadata, ...content }) => ({
    apiVersion: kind === 'Secret' ? 'v1' : 'x402.svc.dev/v1beta1',
    kind,
    metadata: { ...metadata, namespace: SECOND },
    ...content,
  }))
  await cluster.kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  })
}

async function databaseSecret(team: Team): Promise<Manifest> {
  const { body } = await team.shop.cluster.request('GET', team.path('Secret', 'x402-database'))
  return { kind: 'Secret', metadata: { name: 'x402-database' }, data: body['data'] }
}

/** Where the operator's Role was deleted before its pool, an administrator ends the deletion as docs/install.md says. */
async function deleteNamespace({ shop: { cluster } }: Team): Promise<void> {
  const path = `/api/v1/namespaces/${SECOND}`
  const isGone = async () => (await cluster.request('GET', path)).status === 404
  await cluster.request('DELETE', path)
  if (await vi.waitUntil(isGone, inGoodTime).catch(() => false)) return
  const noFinalizer = ['--type=merge', '--patch', '{"metadata":{"finalizers":null}}']
  await cluster.kubectl(['--namespace', SECOND, 'patch', 'channelpool/testnet', ...noFinalizer])
  await vi.waitUntil(isGone, patience)
}

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** @param roles of the operator in the namespace, which go with it: its administrator creates them again */
export function namespaceMistakes(roles: readonly object[]): readonly Mistake[] {
  const makeAgain = async (team: Team) => {
    await deleteNamespace(team)
    await team.shop.apply([namespace(SECOND)])
    await team.shop.cluster.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: roles }),
    })
  }
  return [
    {
      name: 'its second namespace is deleted and made again, with a pool in it',
      apply: async (team) => {
        await fill(team)
        await untilServed(team)
        await makeAgain(team)
        await fill(team)
        await untilServed(team)
      },
      undo: makeAgain,
    },
  ]
}

async function untilServed({ shop }: Team): Promise<void> {
  await vi.waitUntil(async () => {
    const { body } = await shop.cluster.request('GET', pathOf('ChannelPool', SECOND, 'testnet'))
    const { conditions = [] } = Object(body['status'])
    return (conditions as { reason: string }[]).some(({ reason }) => reason === 'ChannelsReady')
  }, patience)
}
