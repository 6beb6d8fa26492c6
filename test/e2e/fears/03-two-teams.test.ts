/**
 * Two teams share one operator, installed for many teams. One pays and changes its own settings now and then; the other
 * one plays a table of mistakes and attacks. Nothing of the first one may show it.
 *
 *   TWO_TEAMS_MINUTES=60 make e2e ARGS=test/e2e/fears/03-two-teams.test.ts
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../support/load.ts'
import { type OwnShop, openOwnShop } from '../support/own-shop.ts'
import { openWorld, type World } from '../support/world.ts'
import { names, places } from '../support/world-places.ts'
import { patchFacilitator } from './shop.ts'
import { pathOf } from './two-teams/kinds.ts'
import { clusterMistakes } from './two-teams/mistakes/cluster.ts'
import { dependencyMistakes } from './two-teams/mistakes/dependencies.ts'
import { flappingMistakes } from './two-teams/mistakes/flapping.ts'
import type { Mistake } from './two-teams/mistakes/mistake.ts'
import { namespaceMistakes, SECOND } from './two-teams/mistakes/namespace.ts'
import { objectMistakes } from './two-teams/mistakes/objects.ts'
import { podMistakes } from './two-teams/mistakes/pods.ts'
import { secretMistakes } from './two-teams/mistakes/secrets.ts'
import { startHostileServers } from './two-teams/mistakes/servers.ts'
import { operatorFigures } from './two-teams/operator.ts'
import { playScript } from './two-teams/script.ts'
import { Team } from './two-teams/team.ts'
import { Witness } from './two-teams/witness.ts'

const A = 'team-a'
const B = 'team-b'
const HOST = 'pay.team-a.example'
const MINUTES = Number(process.env['TWO_TEAMS_MINUTES'] ?? 0)
const MS_PER_MINUTE = 60_000
/** The operator's memory limit in the chart. */
const LIMIT_MIB = 512
/** A payment every two seconds. */
const PER_SECOND = 0.5
/** The operator holds a team back that changes without end, so it may miss what is soon corrected. */
const MET_SHARE = 0.75
const SETUP_MS = 600_000

/** What an administrator gives a namespace by docs/operator.md; few pods, since the processors are those of all. */
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team', namespace: B },
  spec: {
    hard: {
      'count/facilitators.x402.svc.dev': '120',
      'count/channelpools.x402.svc.dev': '120',
      'count/secrets': '300',
      'count/configmaps': '300',
      'count/pods': '12',
    },
  },
}

const opened = new AsyncDisposableStack()
let world: World
let a: OwnShop
let b: OwnShop

beforeAll(async () => {
  world = await openWorld(inject('world'))
  opened.defer(() => world.ready())
  b = opened.use(await openOwnShop(inject('world'), B))
  a = opened.use(await openOwnShop(inject('world'), A))
  await patchFacilitator(b, { spec: { replicas: 1 } })
  await patchFacilitator(a, { spec: { route: { hosts: [HOST], ingressClassName: 'shared' } } })
  await world.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SECOND } }, quota])
  opened.defer(() => world.shell.type(`kubectl delete namespace ${SECOND} --wait=false`).then())
  const label = 'pod-security.kubernetes.io/enforce=restricted'
  await world.shell.type(`kubectl label namespace ${A} ${B} ${label}`)
  await installForTeams()
  await Promise.all([a.ready(), b.ready()])
}, SETUP_MS)

afterAll(() => opened.disposeAsync(), SETUP_MS)

/** The row "many teams" of docs/install.md: the operator reads Secrets in the namespaces of the teams alone. */
async function installForTeams(): Promise<void> {
  const inSystem = `--namespace ${places.operator}`
  const namespaces = [places.shop, A, B, SECOND].join(',')
  await world.shell.type(`
    helm upgrade ${names.release} charts/stellar-x402 ${inSystem} --reset-then-reuse-values \
      --set secrets.watch=Auto --set 'secrets.namespaces={${namespaces}}' --wait`)
  opened.defer(() =>
    world.shell
      .type(`
        helm upgrade ${names.release} charts/stellar-x402 ${inSystem} --reset-then-reuse-values \
          --set secrets.watch=true --set secrets.namespaces=null --wait`)
      .then(),
  )
}

async function rolesOf(namespace: string): Promise<readonly object[]> {
  const { cluster } = world
  const kinds = 'roles,rolebindings'
  const { items } = JSON.parse(await cluster.kubectl(['-n', namespace, 'get', kinds, '-o', 'json']))
  return items.map(({ apiVersion, kind, metadata, rules, roleRef, subjects }: Role) => ({
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace, labels: metadata.labels },
    ...(rules !== undefined && { rules }),
    ...(roleRef !== undefined && { roleRef, subjects }),
  }))
}

interface Role {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: object }
  readonly rules?: unknown
  readonly roleRef?: unknown
  readonly subjects?: unknown
}

async function script(opening: AsyncDisposableStack): Promise<readonly Mistake[]> {
  const { body } = await a.cluster.request('GET', pathOf('Facilitator', A, names.facilitator))
  const neighbour = { namespace: A, uid: String(Object(body['metadata']).uid), host: HOST }
  const { body: database } = await a.cluster.request('GET', pathOf('Secret', A, 'x402-database'))
  const databaseUrl = Buffer.from(Object(database['data']).url, 'base64').toString()
  const stolen = { sponsorSecret: a.sponsor.secret, databaseUrl }
  const servers = opening.use(await startHostileServers(a.rpcUrl, a.cluster.nodeAddress))
  return [
    ...podMistakes,
    ...secretMistakes(stolen),
    ...dependencyMistakes(servers),
    ...objectMistakes(neighbour),
    ...clusterMistakes(neighbour),
    // The operator looks at a namespace whose rights were gone once a minute, so this takes minutes.
    ...(MINUTES > 0 ? namespaceMistakes(await rolesOf(SECOND)) : []),
    ...flappingMistakes,
  ]
}

test(
  'a team that makes every mistake changes nothing for another one',
  async () => {
    await using opening = new AsyncDisposableStack()
    const mistakes = await script(opening)
    expect(mistakes.length).toBeGreaterThanOrEqual(50)
    const team = await Team.of(b)
    const witness = opening.use(await Witness.open(a))
    const before = await operatorFigures(world)
    const pace =
      MINUTES > 0
        ? { minutes: MINUTES, settleMs: 10_000, meetMs: 30_000, holdMs: 3_000, perRollout: 12 }
        : { minutes: 0, settleMs: 0, meetMs: 8_000, holdMs: 0, perRollout: 30 }
    let played: Awaited<ReturnType<typeof playScript>> = []

    const row = await underLoad(
      a,
      'Another team makes every mistake',
      async ({ records }) => {
        const say = (one: object) =>
          process.stdout.write(`${JSON.stringify({ ...one, payments: records.length })}\n`)
        played = await playScript(mistakes, team, witness, pace, say)
        return `${played.length} mistakes of another team, ${witness.rollouts.length} rollouts of this one`
      },
      { perSecond: PER_SECOND },
    )

    const after = await operatorFigures(world)
    const problems = played.filter(({ problem }) => problem !== undefined)
    const unmet = played.filter((each) => each.unmet !== undefined)
    const figures = {
      ...{ mistakes: mistakes.length, played: played.length, unmet, problems },
      ...{ payments: row.payments, found: row.found, failed: row.failed, failures: row.failures },
      ...{ longestMs: row.longestMs, rollouts: witness.rollouts.map(secondsOf), operator: after },
      ...{ changes: witness.changes.length, unexplained: witness.unexplained() },
    }
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
    expectNothingLost(row)
    expectNoFailedRequest(row)
    expect(witness.unexplained()).toEqual([])
    expect([...witness.sentences].filter((sentence) => sentence.includes(B))).toEqual([])
    expect({ ...after, peakMib: 0 }).toEqual({ ...before, peakMib: 0 })
    expect(after.peakMib).toBeLessThan(LIMIT_MIB)
    expect(problems).toEqual([])
    const met = new Set(played.filter((each) => each.unmet === undefined).map(({ name }) => name))
    expect(met.size / mistakes.length).toBeGreaterThan(MET_SHARE)
    // It has met everything, and still manages the objects of the team.
    await team.recovered()
  },
  (MINUTES + 40) * MS_PER_MINUTE,
)

const secondsOf = ({
  begunAt,
  endedAt = Number.NaN,
}: (typeof Witness.prototype.rollouts)[number]) => Math.round((endedAt - begunAt) / 1_000)
