/** The steps of a release, for the targets `release-*` and `chart` of the Makefile. CONTRIBUTING.md has their order. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { made } from '../../test/cluster/support/means.ts'
import { helm, type Tool } from '../../test/cluster/support/tools.ts'
import { packageChart } from './chart.ts'
import { cosign, crane } from './go-tools.ts'
import { releaseNotes } from './notes.ts'
import { logIn, publishChart, pushImage, repositoryName, tagImage } from './publish.ts'
import { readRecord } from './record.ts'
import { type ExpectedSigner, signRelease, verifyRelease } from './sign.ts'
import { disagreements, parseVersion } from './versions.ts'

const run = promisify(execFile)
const tree = join(import.meta.dirname, '../..')
const out = join(tree, 'dist')
const say = (text: string): void => void process.stdout.write(`${text}\n`)

/**
 * A variable of make, or of the environment: make hands both on in the environment. A command line would let the shell
 * expand the name of a tag.
 */
const given = (
  name:
    | 'VERSION'
    | 'FROM'
    | 'TO'
    | 'IMAGE'
    | 'DIGEST'
    | 'REPOSITORY'
    | 'REGISTRY_USER'
    | 'REGISTRY_PASSWORD'
    | 'KEY'
    | 'IDENTITY'
    | 'ISSUER',
): string | undefined => process.env[name] || undefined

async function pathOf(tool: Promise<Tool>): Promise<string> {
  const found = await tool
  if ('missing' in found) throw new Error(found.missing)
  return found.path
}

const release = () => ({ tree, version: parseVersion(given('VERSION')), out })

function expectedSigner(): ExpectedSigner {
  const [publicKeyPath, identity] = [given('KEY'), given('IDENTITY')]
  if (publicKeyPath !== undefined) return { publicKeyPath }
  if (identity === undefined) {
    throw new Error(
      'Who must have signed is missing. Name a public key (KEY=cosign.pub), or the workflow (IDENTITY=, as SECURITY.md says).',
    )
  }
  const issuer = given('ISSUER') ?? 'https://token.actions.githubusercontent.com'
  return { identity, issuer }
}

const steps: Readonly<Record<string, () => Promise<void>>> = {
  check: async () => {
    const { version } = release()
    const found = disagreements(tree, version)
    if (found.length > 0) throw new Error(found.join('\n'))
    say(`Every file states version ${version}.`)
  },
  notes: async () => {
    const range = { tree, from: given('FROM'), to: given('TO') ?? 'HEAD' }
    const version = given('VERSION')
    say(await releaseNotes(range, version === undefined ? undefined : parseVersion(version)))
  },
  chart: async () => {
    const chart = { ...release(), image: given('IMAGE'), digest: given('DIGEST') }
    say(await packageChart(await pathOf(helm(made)), chart))
  },
  login: async () => {
    const [host = ''] = repositoryName(given('REPOSITORY')).split('/')
    const user = given('REGISTRY_USER') ?? ''
    await logIn(await pathOf(crane(made)), { host, user, password: given('REGISTRY_PASSWORD') })
    say(`Logged in to ${host}.`)
  },
  image: async () => {
    const { stdout } = await run('git', ['-C', tree, 'rev-parse', 'HEAD'])
    const ofCommit = { ...release(), revision: stdout.trim() }
    const pushed = await pushImage(ofCommit, await pathOf(crane(made)), given('REPOSITORY') ?? '')
    say(`${pushed.image}@${pushed.digest} has ${Object.keys(pushed.platforms).join(', ')}.`)
  },
  'publish-chart': async () => {
    const { chart, chartDigest } = await publishChart(release(), await pathOf(helm(made)))
    say(`${chart}@${chartDigest}`)
  },
  sign: async () => {
    const { version } = release()
    const options = { record: await readRecord(out, version), version, out }
    const keyPath = given('KEY')
    const signer = keyPath === undefined ? ('workflow' as const) : { keyPath }
    await signRelease({ ...options, cosign: await pathOf(cosign(made)) }, signer)
    say('Signed.')
  },
  verify: async () => {
    const { version } = release()
    const expected = expectedSigner()
    const options = { record: await readRecord(out, version), version, out }
    const verified = await verifyRelease(
      { ...options, cosign: await pathOf(cosign(made)) },
      expected,
    )
    for (const each of verified) say(`${each} is signed as expected.`)
  },
  tools: async () => {
    for (const tool of [crane, helm, cosign]) say(await pathOf(tool(made)))
  },
  tag: async () => say(await tagImage(release(), await pathOf(crane(made)))),
}

const step = steps[process.argv[2] ?? '']
try {
  if (!step) throw new Error(`Name a step: ${Object.keys(steps).join(', ')}.`)
  await mkdir(out, { recursive: true })
  await step()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
