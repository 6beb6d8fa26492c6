/** The chart of a release: a package that names the image by digest. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const CHART = 'stellar-x402'

export interface ChartPackage {
  readonly tree: string
  readonly version: string
  /** The image with its registry, without tag; the chart's own default when undefined. */
  readonly image: string | undefined
  /** `sha256:…`; the chart then pulls by digest. By its tag when undefined. */
  readonly digest: string | undefined
  /** The folder to which the package is written. */
  readonly out: string
}

/** Packages the chart; returns the path of the package. The tree stays as it is. */
export async function packageChart(helm: string, options: ChartPackage): Promise<string> {
  const { tree, version, image, digest, out } = options
  const work = await mkdtemp(join(tmpdir(), 'svc-chart-'))
  try {
    const chart = join(work, CHART)
    await cp(join(tree, 'charts', CHART), chart, { recursive: true })
    const path = join(chart, 'values.yaml')
    const values = await readFile(path, 'utf8')
    await writeFile(path, withImage(values, { repository: image, digest }))
    const versions = ['--version', version, '--app-version', version]
    await run(helm, ['package', chart, ...versions, '--destination', out])
    return join(out, `${CHART}-${version}.tgz`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * The values with another image. Their comments, which are the documentation of the chart, stay.
 * @throws Error when the values have no such key below `image`
 */
export function withImage(
  values: string,
  image: { readonly repository: string | undefined; readonly digest: string | undefined },
): string {
  return Object.entries(image).reduce((text, [key, value]) => {
    if (value === undefined) return text
    const line = new RegExp(`^(image:\\n(?:  .*\\n)*?  ${key}:) .*$`, 'm')
    if (!line.test(text)) throw new Error(`values.yaml of the chart has no image.${key}.`)
    return text.replace(line, (_, before) => `${before} ${JSON.stringify(value)}`)
  }, values)
}

/** Pushes the package to `<repository>/charts/stellar-x402`; returns where it is, by digest. */
export async function pushChart(
  helm: string,
  path: string,
  repository: string,
): Promise<{ readonly chart: string; readonly chartDigest: string }> {
  const target = ['push', path, `oci://${repository}/charts`, ...plainHttp(repository)]
  const { stdout, stderr } = await run(helm, target)
  const [, chartDigest] = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(`${stdout}\n${stderr}`) ?? []
  if (chartDigest === undefined) throw new Error(`helm push printed no digest: ${stdout}${stderr}`)
  return { chart: `${repository}/charts/${CHART}`, chartDigest }
}

/** A registry on this machine has no certificate. */
const plainHttp = (repository: string): readonly string[] =>
  /^(127\.0\.0\.1|localhost)(:\d+)?\//.test(repository) ? ['--plain-http'] : []
