import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { crdFiles } from '../api/crd-files.ts'
import { command } from './command/command.ts'
import { printWhole } from './command/print.ts'
import { UsageError } from './command/usage-error.ts'

export const crds = command({
  name: 'crds',
  summary:
    'prints the definitions of Facilitator and ChannelPool for Kubernetes, or rewrites manifests',
  usage: ['svc crds | kubectl apply --server-side -f -', 'svc crds rewrite [FILE]'],
  actions: { print: [], rewrite: [] },
  defaultAction: 'print',
  positionals: (words, _flags, action) => {
    if (words.length > (action === 'rewrite' ? 1 : 0)) {
      throw new UsageError(`unexpected ${words.at(-1)}: svc crds rewrite takes one file`)
    }
    return words[0]
  },
  notes: [
    'rewrite reads manifests from the file, or from standard input, and prints them with the present',
    'names of fields and the newest version. Comments and all other objects stay as they are.',
  ],
  exits: { 0: 'done', 1: 'the manifest cannot be rewritten' },
  example: 'svc crds rewrite facilitator.yaml > new.yaml',
  explain: (error) => {
    const isExpected = error instanceof Error && expected.has(error.name)
    return isExpected || Object(error).code === 'ENOENT' ? Object(error).message : undefined
  },
  run: async ({ action, positionals: file }) => {
    if (action === 'print') {
      await printWhole(Object.values(crdFiles()).join('---\n'))
      return 0
    }
    const { rewriteManifests } = await import('./rewrite/rewrite-manifest.ts')
    const manifests = file === undefined ? text(process.stdin) : readFile(file, 'utf8')
    await printWhole(rewriteManifests(await manifests))
    return 0
  },
})

/** Of the manifest, not of this program. */
const expected: ReadonlySet<string> = new Set(['RewriteError', 'YAMLException', 'ZodError'])
