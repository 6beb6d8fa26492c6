import { made } from '../../test/cluster/support/means.ts'
import { harness, helm, prometheus } from '../../test/cluster/support/tools.ts'
import { nodeTools } from '../../test/e2e/support/node-tools.ts'
import { scrapeConfigTool } from '../../test/e2e-alerts/support/scrape-config.ts'
import { output } from '../image/command.ts'

/** Namespaces of a world. The processes of each world see only their own. */
export const namespaces = ['--net', '--mount', '--pid', '--ipc', '--propagation=private', '--fork']

/** Why this machine has no nodes, and what to do; undefined when it can have them. */
export async function reasonAgainstNodes(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the nodes need Linux. Take a Linux machine'
  if (process.getuid?.() !== 0) return 'the nodes need root. Become root, for example with sudo'
  return output('unshare', [...namespaces, 'true']).then(
    () => undefined,
    (error: Error) =>
      `the kernel refuses new namespaces (${error.message}). Start it with all capabilities`,
  )
}

/** Builds what the cache lacks, with all that the tests take from it later, when they have no network. */
export async function builtTools() {
  for (const tool of [await harness(made), await helm(made)]) if ('missing' in tool) return tool
  // The tests of scraping skip without them.
  await Promise.all([scrapeConfigTool(), prometheus(made)])
  return nodeTools()
}
