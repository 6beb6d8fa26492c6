/**
 * What an administrator has after docs/install.md, on real nodes: the operator in `x402-system`, a facilitator with
 * catalog and explorer in `shop`, and in `infra` the ledger and the database that they use.
 *
 *   const world = await openWorld(inject('world'))
 *
 * A test file begins in a world where everything is ready, and leaves it so: `await world.ready()`.
 */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import type { Body } from '../../cluster/support/kube-request.ts'
import { connectNodes, type NodesAt, type RealCluster } from './node.ts'
import { untilReady } from './ready.ts'
import { openShell, type Shell } from './shell.ts'
import { infraObjects, prepareInfra } from './world-infra.ts'
import { createFacilitator, installOperator } from './world-install.ts'
import {
  database,
  databaseUrlOf,
  type Infra,
  inCluster,
  ledger,
  names,
  places,
  rpcUrlOf,
  sharedInfra,
} from './world-places.ts'

/** What another process needs to use the world; plain data. */
export interface WorldAt {
  readonly nodes: NodesAt
  /** Working folder of the shells. */
  readonly folder: string
  /** PEM of the authority behind the https address of the ledger. */
  readonly authority: string
  /** The namespace of the facilitator, which is `payments` there. */
  readonly shop: string
  readonly sponsor: Account
  /** Ledger and Postgres of the shop. */
  readonly infra: Infra
  /** Of the facilitator's database as its owner, for the test process. */
  readonly databaseUrl: string
}

interface Account {
  readonly address: string
  readonly secret: string
}

/** The addresses are those of Services, and the test process reaches them as pods do. */
export interface World extends WorldAt {
  readonly cluster: RealCluster
  /** `kubectl` and `helm` in the project's folder, where docs/install.md has its charts. */
  readonly shell: Shell
  /** Of the facilitator, the catalog and the explorer, as http URL without a slash at the end. */
  readonly facilitatorUrl: string
  readonly catalogUrl: string
  readonly explorerUrl: string
  /** Stellar RPC, friendbot and faucet over http, and over https for the stock client. */
  readonly rpcUrl: string
  readonly rpcHttpsUrl: string
  /** Pays whole USDC to an account, which need not exist. */
  fund(address: string, amount: number): Promise<void>
  /** An account with USDC. */
  account(amount: number): Promise<Account>
  /** Creates or changes objects, as `kubectl apply` does. */
  apply(objects: readonly Body[]): Promise<void>
  /** Resolves when every part runs and nothing is left to be done. Throws after three minutes. */
  ready(): Promise<void>
}

const project = join(import.meta.dirname, '../../..')
/** What docs/install.md says that a sponsor needs. */
const DOCUMENTED_XLM = 50
/** For all payments of a run. */
const FURTHER_XLM = 5_000

/** Installs everything on nodes that have the images. */
export async function startWorld(nodes: RealCluster): Promise<WorldAt> {
  const folder = join(nodes.at.folder, 'world')
  await mkdir(folder, { recursive: true })
  const authority = await prepareInfra(folder, sharedInfra)
  const sponsor = newAccount()
  const infra = sharedInfra
  const databaseUrl = databaseUrlOf(infra, database)
  const at = { nodes: nodes.at, folder, authority, shop: places.shop, sponsor, infra, databaseUrl }
  const shell = await openShell({ kubeconfigPath: nodes.kubeconfigPath, folder })
  const inProject = await openShell({
    kubeconfigPath: nodes.kubeconfigPath,
    folder,
    workingDirectory: project,
  })
  await applied(nodes, infraObjects(folder, infra, database))
  await installOperator(inProject)
  await untilReady(nodes, [infra.namespace], [])
  await payXlm(infra, sponsor.address, DOCUMENTED_XLM)
  await createFacilitator(shell, {
    folder,
    namespace: places.shop,
    sponsorSecret: sponsor.secret,
    infra,
    databaseUrl: inCluster(databaseUrl, infra),
  })
  await (await openWorld(at)).ready()
  await payXlm(infra, sponsor.address, FURTHER_XLM)
  return at
}

/** Uses a world that runs. The facilitator's addresses change with its Services: open it again after these were deleted. */
export async function openWorld(at: WorldAt): Promise<World> {
  const cluster = await connectNodes(at.nodes)
  const shell = await openShell({
    kubeconfigPath: cluster.kubeconfigPath,
    folder: at.folder,
    workingDirectory: project,
  })
  const [facilitatorUrl = '', catalogUrl = '', explorerUrl = ''] = await Promise.all(
    ['facilitator', 'catalog', 'explorer'].map((part) => serviceUrl(cluster, at.shop, part)),
  )
  return {
    ...at,
    cluster,
    shell,
    facilitatorUrl,
    catalogUrl,
    explorerUrl,
    rpcUrl: rpcUrlOf(at.infra),
    rpcHttpsUrl: `https://${at.infra.ledgerAddress}:${ledger.https}`,
    fund: (address, amount) => faucet(at.infra, address, 'USDC', amount),
    account: async (amount) => {
      const account = newAccount()
      await faucet(at.infra, account.address, 'USDC', amount)
      return account
    },
    apply: (objects) => applied(cluster, objects),
    ready: () =>
      untilReady(
        cluster,
        [at.infra.namespace, places.operator, at.shop],
        Object.entries(resources).map(
          ([plural, name]) => `/apis/x402.svc.dev/v1beta1/namespaces/${at.shop}/${plural}/${name}`,
        ),
      ),
  }
}

const resources = { facilitators: names.facilitator, channelpools: names.pool } as const

export function newAccount(): Account {
  const seed = randomBytes(32)
  return { address: signerFromSeed(seed).address, secret: secretOfSeed(seed) }
}

export const payXlm = (infra: Infra, address: string, amount: number): Promise<void> =>
  faucet(infra, address, 'XLM', amount)

async function faucet(
  infra: Infra,
  address: string,
  asset: 'XLM' | 'USDC',
  amount: number,
): Promise<void> {
  const query = `addr=${address}&asset=${asset}&amount=${amount}`
  const answer = await fetch(`${rpcUrlOf(infra)}/faucet?${query}`)
  if (!answer.ok) throw new Error(`The faucet refused ${address}: ${await answer.text()}`)
}

async function applied(cluster: RealCluster, items: readonly Body[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  await cluster.kubectl(['apply', '-f', '-'], { input })
}

/** Empty while there is no such Service. */
async function serviceUrl(cluster: RealCluster, shop: string, part: string): Promise<string> {
  const path = `/api/v1/namespaces/${shop}/services/${names.facilitator}-${part}`
  const { body } = await cluster.request('GET', path)
  const { clusterIP } = Object(body['spec'])
  return clusterIP === undefined ? '' : `http://${clusterIP}`
}
