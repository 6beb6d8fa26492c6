/** The parts of the project that release notes name, and the part that a commit belongs to. */

interface Area {
  readonly title: string
  readonly paths: RegExp
}

/**
 * In the order of the notes. A file belongs to the first area that matches it. Commits before the first release may have other folders:
 * `x402`, `facilitator`, `channels`, `core` and `store` for payments; `operator`, `kube`, `kubectl` and `api` for Kubernetes.
 */
const areas: readonly Area[] = [
  {
    title: 'Metered calls (upto)',
    paths: /^(src\/(.+\/)?upto|contracts)/,
  },
  {
    title: 'Payments',
    paths:
      /^src\/(payments|stellar|platform\/(core|database)|x402|facilitator|channels|core|store)\//,
  },
  {
    title: 'Kubernetes operator and chart',
    paths:
      /^(src\/(kubernetes|operator|kube|kubectl|api)\/|charts\/|manifests\/|crds\/|bin\/kubectl-svc)/,
  },
  { title: 'Catalog', paths: /^src\/catalog\// },
  { title: 'Explorer', paths: /^src\/explorer\// },
  { title: 'Embedded network and demo', paths: /^src\/(localnet|demo)\// },
  { title: 'Service, commands and settings', paths: /^(src|bin)\// },
  { title: 'Image', paths: /^(Dockerfile|\.dockerignore|tools\/image\/)/ },
]

/** Areas of a commit that touches none of the above. */
const lesser: readonly Area[] = [
  { title: 'Documentation', paths: /^(docs\/|[A-Z]+\.md$|LICENSE$)/ },
  { title: 'Tests and tools', paths: /./ },
]

export const areaTitles: readonly string[] = [...areas, ...lesser].map(({ title }) => title)

/** The area of most of the files. What runs in production counts before pages, and pages before tests. */
export function areaOf(files: readonly string[]): string {
  return mostOf(areas, files) ?? mostOf(lesser, files) ?? 'Tests and tools'
}

function mostOf(candidates: readonly Area[], files: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const file of files) {
    const title = candidates.find(({ paths }) => paths.test(file))?.title
    if (title !== undefined) counts.set(title, (counts.get(title) ?? 0) + 1)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}
