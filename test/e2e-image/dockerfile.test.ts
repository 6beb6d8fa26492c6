import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { output } from '../../tools/image/command.ts'
import { writeBaseImage } from './support/base-image.ts'
import { imageOrSkip, SOURCE } from './support/built-image.ts'
import { type Docker, docker } from './support/docker.ts'
import { configOf, type Listed, listTree, unpackArchive } from './support/unpacked.ts'

/* The image that `docker build` makes beside that of `make image`, from clones of one commit with different umasks. */

let engine: Docker | { readonly missing: string }
let dockerRoot: string
const run = `svc-e2e-image-${process.pid}`
const names = { base: `${run}-base:1`, result: `${run}:1` }

beforeAll(async () => {
  const image = inject('image')
  if ('missing' in image) return
  engine = await docker()
  if ('missing' in engine) return
  const base = join(image.folder, 'base.tar')
  await writeBaseImage(image.privateClone, base, names.base)
  await engine.run('load', '--input', base)
  await rm(base)
  await engine.run('build', ...(await buildArguments(image.privateClone)), image.privateClone)
  const saved = join(image.folder, 'docker.tar')
  await engine.run('save', '--output', saved, names.result)
  dockerRoot = await unpackArchive(saved, join(image.folder, 'docker'))
  await rm(saved)
})

afterAll(async () => {
  if (engine === undefined || 'missing' in engine) return
  await using used = engine
  await used.run('image', 'rm', '--force', ...Object.values(names)).catch(() => undefined)
  await used.run('image', 'prune', '--force', '--filter', `label=${names.base}`)
})

test('docker build and make image end in the same files with the same owners and modes', (context) => {
  const { both } = trees(context)
  const only = both.filter(({ ours, theirs }) => ours?.access !== theirs?.access)
  expect(only).toEqual([])
  expect(both.length).toBeGreaterThan(10_000)
})

test('their files have the same content', (context) => {
  const { both } = trees(context)
  expect(both.filter(({ ours, theirs }) => ours?.content !== theirs?.content)).toEqual([])
})

test('their processes start in the same way, and the labels agree', (context) => {
  const { ours, theirs } = trees(context)
  const { User, Env, Entrypoint, Cmd, WorkingDir, ExposedPorts, Labels } = configOf(ours)
  const wanted = { User, Env, Entrypoint, Cmd, WorkingDir, ExposedPorts, Labels }
  expect(configOf(theirs)).toMatchObject(wanted)
})

test('docker load takes the archive of make image, which runs with a read-only root', async (context) => {
  const { built } = imageOrSkip(context)
  const used = engineOrSkip(context)
  const loaded = await used.run('load', '--input', built.file)
  const name = /Loaded image: (\S+)/.exec(loaded)?.[1] ?? ''
  const flags = ['--rm', '--read-only', '--network=none', '--cap-drop=ALL']
  try {
    expect(await used.run('run', ...flags, name, 'version')).toMatch(/^svc \d/)
  } finally {
    await used.run('image', 'rm', '--force', name)
  }
})

interface Pair {
  readonly path: string
  readonly ours: Listed | undefined
  readonly theirs: Listed | undefined
}

function trees(context: Parameters<typeof imageOrSkip>[0]) {
  const { root: ours } = imageOrSkip(context)
  engineOrSkip(context)
  const [one, other] = [listTree(ours), listTree(dockerRoot)]
  const paths = [...new Set([...one.keys(), ...other.keys()])].sort()
  const both: Pair[] = paths.map((path) => ({ path, ours: one.get(path), theirs: other.get(path) }))
  return { ours, theirs: dockerRoot, both }
}

function engineOrSkip({ skip }: Parameters<typeof imageOrSkip>[0]): Docker {
  if ('missing' in engine) return skip(engine.missing)
  return engine
}

async function buildArguments(tree: string): Promise<readonly string[]> {
  const revision = (await output('git', ['-C', tree, 'rev-parse', 'HEAD'])).trim()
  const { version } = JSON.parse(await output('cat', [join(tree, 'package.json')]))
  const values = {
    NODE_IMAGE: names.base,
    SVC_VERSION: version,
    SVC_REVISION: revision,
    SVC_SOURCE: SOURCE,
  }
  return [
    ...['--quiet', '--network=host', '--no-cache', '--tag', names.result],
    ...Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    // Docker takes the values of this process, and keeps them out of the image.
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) =>
      [name, name.toLowerCase()].flatMap((each) => ['--build-arg', each]),
    ),
  ]
}
