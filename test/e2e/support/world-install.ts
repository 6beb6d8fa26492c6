/** Installs the operator and a first facilitator by the commands of docs/install.md. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dump, loadAll } from 'js-yaml'
import { StockPage } from '../../support/stock/stock-page.ts'
import type { Shell } from './shell.ts'
import { type Infra, ledger, names, places } from './world-places.ts'

const page = new StockPage('install.md')

/** The commands under a heading that contain the words: exactly one block of them. */
export function documented(heading: string, words: string): string {
  const [found, ...more] = page.commandsUnder(heading).filter((text) => text.includes(words))
  if (found === undefined || more.length > 0)
    throw new Error(`docs/install.md has not one block with ${words} under ${heading}`)
  return found
}

/** Replaces what the page leaves to its reader. Throws when the page no longer has it. */
function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((filled, [placeholder, value]) => {
    if (!filled.includes(placeholder))
      throw new Error(`docs/install.md no longer has ${placeholder} in: ${text}`)
    return filled.replace(placeholder, () => value)
  }, text)
}

/** Namespace, operator and `helm test`; `shell` works in the project's folder. The tests change Secrets, and wait for the effect. */
export const installOperator = (shell: Shell): Promise<string> =>
  shell.type(
    filledIn(documented('The operator', 'helm install'), {
      ' --wait': ' --set secrets.watch=true --wait',
    }),
  )

const DATABASE_URL = 'postgres://user:password@postgres:5432/x402'

interface FacilitatorRequest {
  /** Where the shell is. */
  readonly folder: string
  readonly namespace: string
  readonly sponsorSecret: string
  readonly infra: Infra
  /** As pods reach it. */
  readonly databaseUrl: string
  /** Additions to the specs. */
  readonly facilitator?: Spec
  readonly pool?: Spec
}

/** Secrets and resources of the page, with the seed, the database and the RPC of the world. */
export async function createFacilitator(
  shell: Shell,
  {
    folder,
    namespace,
    sponsorSecret,
    infra,
    databaseUrl,
    facilitator = {},
    pool = {},
  }: FacilitatorRequest,
): Promise<void> {
  const inNamespace = (commands: string) =>
    commands
      .replaceAll('namespace shop', `namespace ${namespace}`)
      .replace('facilitator.yaml', facilitatorFile(namespace))
  const secrets = filledIn(documented('A facilitator', 'create secret'), {
    'S...': sponsorSecret,
    [DATABASE_URL]: databaseUrl,
  })
  await shell.type(inNamespace(secrets))
  await writeFile(
    join(folder, facilitatorFile(namespace)),
    resources({
      ChannelPool: { rpc: rpcOf(infra), ...pool },
      Facilitator: { ...additions, ...facilitator },
    }),
  )
  await shell.type(inNamespace(documented('A facilitator', 'apply -f facilitator.yaml')))
}

/** That of the first shop has the name of the page. */
const facilitatorFile = (namespace: string): string =>
  namespace === places.shop ? 'facilitator.yaml' : `${names.facilitator}-${namespace}.yaml`

type Spec = Record<string, unknown>

/** The two resources of the page, with the additions of the world. */
function resources(further: Readonly<Record<string, Spec>>): string {
  const block = page.blocks.find(
    ({ heading, language }) => heading.endsWith('A facilitator') && language === 'yaml',
  )
  const documents = loadAll(block?.text ?? '') as { kind: string; spec: Spec }[]
  return documents
    .map(({ kind, spec, ...object }) =>
      dump({ ...object, kind, spec: { ...spec, ...further[kind] } }),
    )
    .join('---\n')
}

/** Over http: the certificate of the world's ledger is of no authority that the pods trust. */
const rpcOf = ({ namespace }: Infra): Spec => ({
  urls: [`http://${ledger.name}.${namespace}:${ledger.http}`],
  allowHttp: true,
})

const additions: Spec = {
  catalog: { enabled: true },
  explorer: { enabled: true },
  // One process pays for all buyers of the tests, which the facilitator sees as one client.
  rateLimitPerMinute: 6_000,
}
