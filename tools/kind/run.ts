/**
 * `make kind`: the installation of docs/install.md on a cluster of kind, with a ledger and a Postgres in it, and one
 * payment by a stock client. `make kind-delete` removes the cluster. Skips where Docker or a program is missing.
 * IMAGE_ARCHIVE names an archive of `make image`; without it the image is built.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Keypair } from '@stellar/stellar-sdk'
import { createCertificate } from '../../src/localnet/server/certificate.ts'
import { StockPage } from '../../test/support/stock/stock-page.ts'
import { fund } from './ledger.ts'
import { buyer, clusterConfig, infrastructure, LEDGER_HOSTS, seller, WORK } from './manifests.ts'

const run = promisify(execFile)
const tree = join(import.meta.dirname, '../..')
const work = join(tree, WORK)
const kubeconfig = join(work, 'kubeconfig')
const CLUSTER = 'x402'
const CERTIFICATE_DAYS = 90
const DATABASE_URL = 'postgres://user:password@postgres:5432/x402'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Prints the lines before they run, or what is shown in place of lines with a secret, and their output. */
async function type(lines: string, shown = lines): Promise<void> {
  say(`$ ${shown.trim()}`)
  const shell = spawn('bash', ['-e', '-c', lines], {
    cwd: tree,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, KUBECONFIG: kubeconfig },
  })
  const [code] = await once(shell, 'exit')
  if (code !== 0) throw new Error(`The command above ended with ${code}.`)
}

/** Why the cluster cannot be created here; undefined when it can. */
async function obstacle(): Promise<string | undefined> {
  for (const program of ['docker', 'kind', 'kubectl', 'helm']) {
    const found = await run('bash', ['-c', `command -v ${program}`]).catch(() => undefined)
    if (!found) return `${program} is not in the PATH`
  }
  const answer = await run('docker', ['info']).catch(() => undefined)
  return answer ? undefined : 'Docker does not run'
}

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(join(work, name), text, { mode: 0o600 })
  return `${WORK}/${name}`
}

const page = new StockPage('install.md')
const block = (heading: string, words: string): string => {
  const found = page.commandsUnder(heading).find((text) => text.includes(words))
  if (found === undefined) throw new Error(`docs/install.md has no ${words} under ${heading}.`)
  return found
}

async function create(): Promise<void> {
  await mkdir(work, { recursive: true })
  const { version } = JSON.parse(await readFile(join(tree, 'package.json'), 'utf8'))
  const image = `registry.example/stellar-x402:${version}`
  const archive = process.env['IMAGE_ARCHIVE'] || `${WORK}/image.tar`
  if (!process.env['IMAGE_ARCHIVE']) {
    await type(`node tools/image/run.ts --name ${image} --out ${archive}`)
  }
  await type(`kind create cluster --name ${CLUSTER} --wait 120s \
    --config ${await write('cluster.yaml', clusterConfig(tree))}`)
  await type(`kind load image-archive ${archive} --name ${CLUSTER}`)

  const { key, cert, authority } = await createCertificate(
    Date.now(),
    CERTIFICATE_DAYS,
    LEDGER_HOSTS,
  )
  await write('localnet-tls.pem', [key, cert, authority].map((pem) => `${pem.trim()}\n`).join(''))
  await write('localnet-ca.pem', authority)
  const database = { user: 'user', password: 'password', name: 'x402' }
  await type(`kubectl apply -f ${await write('infra.yaml', infrastructure(image, database))}`)
  await type('kubectl --namespace infra rollout status deployment --timeout=5m')
  const [sponsor, payee, payer] = [Keypair.random(), Keypair.random(), Keypair.random()]
  await fund(kubeconfig, [
    { address: sponsor.publicKey(), asset: 'XLM' },
    { address: payee.publicKey(), asset: 'USDC' },
    { address: payer.publicKey(), asset: 'USDC' },
  ])

  await type(block('The operator', 'helm install'))
  const secrets = block('A facilitator', 'create secret').replace(
    DATABASE_URL,
    DATABASE_URL.replace('@postgres:', '@postgres.infra:'),
  )
  await type(secrets.replace('S...', sponsor.secret()), secrets)
  const yaml = page.blocks.find(
    ({ heading, language }) => heading.endsWith('A facilitator') && language === 'yaml',
  )
  const resources = (yaml?.text ?? '').replace(
    'urls: ["https://soroban-testnet.stellar.org"]',
    'urls: ["http://localnet.infra:8000"], allowHttp: true',
  )
  await type(
    block('A facilitator', 'apply -f facilitator.yaml').replace(
      'facilitator.yaml',
      await write('facilitator.yaml', resources),
    ),
  )

  const stock = new StockPage('sellers.md')
  await write('express.mjs', stock.file('express.mjs'))
  await write('client.mjs', stock.file('client.mjs'))
  await type(
    `kubectl apply -f ${await write('seller.yaml', seller(image, payee.publicKey()))}
kubectl --namespace infra rollout status deployment/jokes --timeout=2m`,
  )
  await type(
    `kubectl apply -f ${await write('buyer.yaml', buyer(image, payer.secret()))}
kubectl --namespace infra wait --for=condition=Complete job/buyer --timeout=2m
kubectl --namespace infra logs job/buyer`,
  )
  say(`\nPaid. To look around: export KUBECONFIG=${kubeconfig}\nTo remove it: make kind-delete`)
}

const reason = await obstacle()
if (reason !== undefined) say(`make kind: skipped, since ${reason}.`)
else {
  try {
    if (process.argv[2] === 'delete') await type(`kind delete cluster --name ${CLUSTER}`)
    else await create()
  } catch (error) {
    process.stderr.write(`make kind: ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
