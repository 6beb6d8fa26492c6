import { vi } from 'vitest'
import { kube } from '../../../../src/commands/kubernetes/kube.ts'
import type { Cluster } from '../../support/cluster.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `svc kube` in this process: a process of its own takes a second to start. */
export async function runKube(...args: readonly string[]): Promise<Ran> {
  const said = { out: '', err: '' }
  const hear = (to: 'out' | 'err') => (text: unknown) => {
    said[to] += String(text)
    return true
  }
  using _out = vi.spyOn(process.stdout, 'write').mockImplementation(hear('out'))
  using _err = vi.spyOn(process.stderr, 'write').mockImplementation(hear('err'))
  const code = await kube(args)
  return { code, ...said }
}

/** What a terminal of the usual size shows without scrolling or breaking lines. */
export const exceeds = (page: string): readonly string[] => {
  const lines = page.trimEnd().split('\n')
  return [...lines.filter((line) => line.length > 80), ...lines.slice(40)]
}

export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** The token of a new user of a namespace who has these rights there and no others. */
export async function userWith(
  cluster: Cluster,
  namespace: string,
  rules: readonly Rule[],
): Promise<string> {
  const api = 'rbac.authorization.k8s.io'
  const metadata = { name: 'someone', namespace }
  const roleRef = { apiGroup: api, kind: 'Role', name: 'someone' }
  const subjects = [{ kind: 'ServiceAccount', ...metadata }]
  const items = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${api}/v1`, kind: 'Role', metadata, rules },
    { apiVersion: `${api}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects },
  ]
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  await cluster.kubectl(['apply', '-f', '-'], { input: list })
  return (await cluster.kubectl(['create', 'token', 'someone', '-n', namespace])).trim()
}
