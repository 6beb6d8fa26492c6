import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildImage } from './build.ts'
import { output } from './command.ts'
import { imageContents } from './layers.ts'
import { writeTree } from './write-tree.ts'

/* `make image`: writes the image of a checkout to an archive. --help says more. */

const usage = `node tools/image/run.ts [options]

  --tree DIR       the checkout to build; this one without it
  --version V      that of package.json without it
  --out FILE       dist/stellar-x402-VERSION-ARCH.tar without it
  --name NAME      the image's name with registry and tag; registry.example/stellar-x402:VERSION without it
  --arch ARCH      x64 or arm64; that of this machine without it
  --source URL     where the sources are published, for the label of that name
  --layers DIR     write the files of each layer into a folder of DIR instead of an archive, as the Dockerfile does
  --gzip           compress the layers, as a release does
`

const { values } = parseArgs({
  options: {
    tree: { type: 'string' },
    version: { type: 'string' },
    out: { type: 'string' },
    name: { type: 'string' },
    arch: { type: 'string' },
    source: { type: 'string' },
    layers: { type: 'string' },
    gzip: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

if (values.help) {
  process.stdout.write(usage)
} else {
  const tree = resolve(values.tree ?? here())
  const version = values.version ?? manifestOf(tree).version
  const arch = archOf(values.arch)
  if (values.layers === undefined) await archive(tree, version, arch)
  else await writeLayers(resolve(values.layers), tree, arch)
}

async function writeLayers(folder: string, tree: string, arch: 'x64' | 'arm64'): Promise<void> {
  for (const { name, entries } of (await imageContents(tree, arch)).layers) {
    writeTree(join(folder, name), entries)
  }
}

async function archive(tree: string, version: string, arch: 'x64' | 'arm64'): Promise<void> {
  const { revision, created } = await commitOf(tree)
  const image = await buildImage({
    tree,
    version,
    revision,
    created,
    source: values.source ?? manifestOf(tree).repository?.url,
    out: resolve(values.out ?? join(here(), 'dist', `stellar-x402-${version}-${arch}.tar`)),
    name: values.name,
    arch,
    gzip: values.gzip,
  })
  process.stdout.write(`${JSON.stringify(image, undefined, 2)}\n`)
}

function here(): string {
  return resolve(import.meta.dirname, '../..')
}

function manifestOf(tree: string): { version: string; repository?: { url: string } } {
  return JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
}

function archOf(arch: string = process.arch): 'x64' | 'arm64' {
  if (arch === 'x64' || arch === 'arm64') return arch
  throw new Error(`--arch ${arch}: name x64 or arm64.`)
}

/** A checkout with changes has no revision that names its content. */
async function commitOf(tree: string): Promise<{ revision?: string; created?: string }> {
  const git = (...args: string[]) => output('git', ['-C', tree, ...args])
  try {
    const changed = (await git('status', '--porcelain')).trim() !== ''
    const [revision = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct'))
      .trim()
      .split(' ')
    const created = new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
    return { revision: changed ? `${revision}-changed` : revision, created }
  } catch {
    return {}
  }
}
