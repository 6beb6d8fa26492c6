import { readFileSync } from 'node:fs'

interface ApiRow {
  /** As in `apps/v1`. */
  readonly apiVersion: string
  readonly plurals: readonly string[]
  /** The minor version of Kubernetes 1. */
  readonly since: number
}

/** The table of API versions in docs/kube-runtime.md. */
export function documentedApis(): readonly ApiRow[] {
  const page = readFileSync(new URL('../../docs/kube-runtime.md', import.meta.url), 'utf8')
  return [...page.matchAll(/^\| `([\w./]*v\d)` \| ([\w, ]+) \| 1\.(\d+) \|$/gm)].map(
    ([, apiVersion = '', kinds = '', since = '']) => ({
      apiVersion,
      plurals: kinds.split(', '),
      since: Number(since),
    }),
  )
}
