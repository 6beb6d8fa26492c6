/** Two Facilitators in one cluster: `payments` follows the operator's image, `pinned` stays with the previous version. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dump, loadAll } from 'js-yaml'
import type { BuiltRelease } from '../../../tools/e2e-upgrade/built-releases.ts'
import { type RealCluster, startNodes } from '../../e2e/support/node.ts'
import { currentWorld } from '../../e2e/support/node-world.ts'
import { openShell, type Shell } from '../../e2e/support/shell.ts'
import { StockPage } from '../../support/stock/stock-page.ts'
import { type Outside, startOutside } from './outside.ts'
import { newSponsor } from './sponsor.ts'

/** One Facilitator with its pool, sponsor and database. */
interface Shop {
  readonly namespace: string
  readonly facilitatorUrl: string
  readonly rpcUrl: string
  readonly databaseUrl: string
}

export interface UpgradeWorld extends AsyncDisposable {
  readonly cluster: RealCluster
  /** Without `spec.image`. */
  readonly payments: Shop
  /** With `spec.image` of the previous version. */
  readonly pinned: Shop
  /** A shell in the folder of a version. */
  shellOf(release: BuiltRelease): Promise<Shell>
}

/** Reserves of some thirty channels, and fees. */
const SPONSOR_XLM = 500

/** Installs the version by its own docs/install.md. */
export async function openUpgradeWorld(
  previous: BuiltRelease,
  images: readonly string[],
): Promise<UpgradeWorld> {
  const { folder } = currentWorld()
  const cluster = await startNodes({ images })
  await using opened = new AsyncDisposableStack()
  const outside = opened.use(await startOutside(cluster.nodeAddress))
  const home = join(folder, 'home')
  await mkdir(home, { recursive: true })
  const shellOf = (release: BuiltRelease) =>
    openShell({
      kubeconfigPath: cluster.kubeconfigPath,
      folder: home,
      workingDirectory: release.folder,
    })
  const shell = await shellOf(previous)
  const page = new StockPage('install.md', join(previous.folder, 'docs'))
  const [install = ''] = page
    .commandsUnder('The operator')
    .filter((each) => each.includes('helm install'))
  await shell.type(install)
  const create = (spec: ShopSpec) => createShop({ cluster, shell, page, outside }, spec)
  const payments = await create({ namespace: 'shop' })
  const pinned = await create({ namespace: 'pinned', image: previous.image })
  const all = opened.move()
  return {
    cluster,
    shellOf,
    payments,
    pinned,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

interface ShopDeps {
  readonly cluster: RealCluster
  readonly shell: Shell
  readonly page: StockPage
  readonly outside: Outside
}

interface ShopSpec {
  readonly namespace: string
  readonly image?: string
}

/** Types the commands of the page, with these values in place of its examples. */
async function createShop(
  { cluster, shell, page, outside }: ShopDeps,
  { namespace, image }: ShopSpec,
): Promise<Shop> {
  const { rpcUrl } = outside
  const databaseUrl = await outside.createDatabase(namespace)
  const sponsor = await newSponsor(rpcUrl, SPONSOR_XLM)
  const typed = (text: string) =>
    text
      .replaceAll('shop', namespace)
      .replace('S...', sponsor.secret)
      .replace(/postgres:\/\/\S+/, databaseUrl)
  const [secrets = '', apply = ''] = page
    .commandsUnder('A facilitator')
    .filter((each) => /create secret|apply -f facilitator/.test(each))
  const yaml = page.blocks.find(
    ({ heading, language }) => heading.endsWith('A facilitator') && language === 'yaml',
  )
  const documents = loadAll(yaml?.text ?? '') as { kind: string; spec: object }[]
  const resources = documents.map(({ spec, ...object }) =>
    dump({ ...object, spec: { ...spec, ...additionsOf(object.kind, rpcUrl, image) } }),
  )
  const file = `facilitator-${namespace}.yaml`
  await shell.type(typed(secrets))
  await writeFile(join(currentWorld().folder, 'home', file), resources.join('---\n'))
  await shell.type(typed(apply.replaceAll('facilitator.yaml', `"$HOME/${file}"`)))
  const service = ['service/payments-facilitator', '--output=jsonpath={.spec.clusterIP}']
  const address = await cluster.kubectl(['get', '--namespace', namespace, ...service])
  return {
    namespace,
    facilitatorUrl: `http://${address}`,
    rpcUrl,
    databaseUrl,
  }
}

function additionsOf(kind: string, rpcUrl: string, image: string | undefined): object {
  if (kind === 'ChannelPool') {
    return { rpc: { urls: [rpcUrl], allowHttp: true } }
  }
  // One process pays for all buyers, which the facilitator sees as one client.
  return { rateLimitPerMinute: 6_000, ...(image !== undefined && { image: pinnedTo(image) }) }
}

function pinnedTo(image: string): object {
  const at = image.lastIndexOf(':')
  return { repository: image.slice(0, at), tag: image.slice(at + 1) }
}
