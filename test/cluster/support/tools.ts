/**
 * The programs that cluster tests need. Each function returns a path, or the reason for which a test skips. Tests take
 * what is at hand; `make test-cluster`, other targets and releases pass `made`, which builds and fetches the rest.
 */
import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { actionlint, crane } from '../../../tools/release/go-tools.ts'
import { programInPath } from './debian-package.ts'
import type { Tool } from './go-build.ts'
import { atHand, type Means, made } from './means.ts'

export type { Tool } from './go-build.ts'

const root = join(import.meta.dirname, '..')
const HARNESS = 'cluster-harness'

/**
 * etcd, API server, controllers, scheduler, kubectl and simulated nodes in one binary. The one in the folder that
 * KUBEBUILDER_ASSETS names is taken before.
 */
export async function harness({ goTool }: Means = atHand): Promise<Tool> {
  const assets = process.env['KUBEBUILDER_ASSETS']
  const given = assets && join(assets, HARNESS)
  if (given && existsSync(given)) return { path: given }
  const folder = join(root, 'harness')
  const found = await goTool({
    name: HARNESS,
    folder,
    target: '.',
    ldflags: await kubernetesStamps(folder),
    // Inlining takes a third of the time to compile, and no debugger reads the binary. The standard library is
    // compiled as for other tools, which share it.
    gcflags: ['all=-l -dwarf=false', 'std='],
    duration: '5 minutes',
  })
  if (!assets || 'path' in found) return found
  const lack = `${assets} of KUBEBUILDER_ASSETS has no ${HARNESS}, and an API server alone has no controllers`
  return { missing: `${found.missing}; ${lack}` }
}

/**
 * Flags of the linker with the version that the servers report. Without them they report v0.0.0, which clients treat
 * as very old.
 * @param folder holds the go.mod that requires Kubernetes
 */
export async function kubernetesStamps(folder: string): Promise<string> {
  const version = await requiredVersion(folder, 'k8s.io/kubernetes')
  const [major = '', minor = ''] = version.slice(1).split('.')
  const facts = {
    'k8s.io/component-base/version.gitVersion': version,
    'k8s.io/component-base/version.gitMajor': major,
    'k8s.io/component-base/version.gitMinor': minor,
    'k8s.io/client-go/pkg/version.gitVersion': version,
  }
  const stamps = Object.entries(facts).map(([name, value]) => `-X ${name}=${value}`)
  return ['-s', '-w', ...stamps].join(' ')
}

/**
 * The harness under the name `kubectl`. The one in the PATH without a harness, or with TEST_KUBECONFIG.
 */
export async function kubectl(means: Means = atHand): Promise<Tool> {
  const installed = () => programInPath('kubectl')
  if (process.env['TEST_KUBECONFIG'] === 'use') {
    const path = await installed()
    if (path !== undefined) return { path }
  }
  const built = await harness(means)
  if ('missing' in built) {
    const path = await installed()
    return path === undefined ? built : { path }
  }
  return { path: await namedKubectl(built.path) }
}

async function namedKubectl(binary: string): Promise<string> {
  const path = join(dirname(binary), 'kubectl')
  if (existsSync(path)) return path
  await symlink(basename(binary), path).catch((error: NodeJS.ErrnoException) => {
    // Another run created it first.
    if (error.code !== 'EEXIST') throw error
  })
  return path
}

export async function helm({ goTool }: Means = atHand): Promise<Tool> {
  const folder = join(root, 'helm')
  const version = await requiredVersion(folder, 'helm.sh/helm/v4')
  return goTool({
    name: 'helm',
    folder,
    target: 'helm.sh/helm/v4/cmd/helm',
    ldflags: `-s -w -X helm.sh/helm/v4/internal/version.version=${version}`,
    duration: '4 minutes',
  })
}

export const promtool = ({ debianProgram }: Means = atHand): Promise<Tool> =>
  debianProgram('prometheus', 'usr/bin/promtool')

export const prometheus = ({ debianProgram }: Means = atHand): Promise<Tool> =>
  debianProgram('prometheus', 'usr/bin/prometheus')

async function requiredVersion(folder: string, module: string): Promise<string> {
  const line = (await readFile(join(folder, 'go.mod'), 'utf8'))
    .split('\n')
    .map((each) => each.trim().split(' '))
    .find((words) => words.includes(module) && words.some((word) => /^v\d/.test(word)))
  const version = line?.find((word) => /^v\d/.test(word))
  if (version === undefined) throw new Error(`${folder}/go.mod requires no ${module}`)
  return version
}

export const lua = ({ debianProgram }: Means = atHand): Promise<Tool> =>
  debianProgram('lua5.4', 'usr/bin/lua5.4', '-v')

/** Builds and fetches the programs that are not at hand, before the time limits of the tests start. */
export async function prepareTools(): Promise<void> {
  const tools = [crane, actionlint, promtool, prometheus, lua, helm, harness]
  for (const tool of tools) await tool(made)
}
