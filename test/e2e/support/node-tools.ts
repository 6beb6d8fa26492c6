/** The programs of a node. Each function returns a path, or the reason for its absence. */
import { join } from 'node:path'
import { buildGoTool, type Tool } from '../../cluster/support/go-build.ts'
import { kubernetesStamps } from '../../cluster/support/tools.ts'

const folder = join(import.meta.dirname, '../node')

interface NodeTools {
  /** The first process of a world. */
  readonly init: string
  /** The kubelet and kube-proxy. */
  readonly node: string
  readonly dns: string
  /** The first process of a pod; it goes into an image. */
  readonly pause: string
}

const durations: NodeTools = {
  init: '10 seconds',
  node: '6 minutes',
  dns: '2 minutes',
  pause: '10 seconds',
}

/** Builds what the cache lacks. */
export async function nodeTools(): Promise<NodeTools | { readonly missing: string }> {
  const paths: Partial<Record<keyof NodeTools, string>> = {}
  for (const name of ['init', 'pause', 'dns', 'node'] as const) {
    const built = await build(name)
    if ('missing' in built) return built
    paths[name] = built.path
  }
  return paths as NodeTools
}

const build = async (name: keyof NodeTools): Promise<Tool> =>
  buildGoTool({
    name: `e2e-${name}`,
    folder,
    target: `./${name}`,
    ldflags: name === 'node' ? await kubernetesStamps(folder) : '-s -w',
    duration: durations[name],
  })
