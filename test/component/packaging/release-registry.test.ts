import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadAll } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { crane } from '../../../tools/release/go-tools.ts'
import { publishChart, pushImage, type Release, tagImage } from '../../../tools/release/publish.ts'
import { helm } from '../../cluster/support/tools.ts'
import { writeArchive } from '../../support/oci-archive.ts'
import { type OciRegistry, startRegistry } from '../../support/oci-registry.ts'

const run = promisify(execFile)
const VERSION = '1.2.3-rc.4'

/** A real registry, crane and helm on this machine, with two small images in place of those of `make image`. */
describe('a release pushed to a registry', () => {
  let tools: { crane: string; helm: string } | { missing: string }
  let registry: OciRegistry
  let release: Release

  beforeAll(async () => {
    const [forImages, forCharts] = [await crane(), await helm()]
    if ('missing' in forImages) tools = forImages
    else if ('missing' in forCharts) tools = forCharts
    else {
      tools = { crane: forImages.path, helm: forCharts.path }
      registry = await startRegistry(tools.crane)
    }
    const out = await mkdtemp(join(tmpdir(), 'svc-release-'))
    release = { tree: process.cwd(), version: VERSION, out }
    for (const architecture of ['arm64', 'amd64']) {
      const path = join(out, `stellar-x402-${VERSION}-${architecture}.tar`)
      await writeArchive(path, { version: VERSION, architecture })
    }
  })

  afterAll(async () => {
    await registry?.[Symbol.asyncDispose]()
    await rm(release.out, { recursive: true, force: true })
  })

  test('has an index of both architectures, a chart that pulls it by digest, and the tag last', async ({
    skip,
  }) => {
    if ('missing' in tools) return skip(tools.missing)
    const { crane, helm } = tools
    const ask = async (...args: readonly string[]): Promise<string> =>
      (await run(crane, [...args])).stdout.trim()
    const { image, digest, platforms } = await pushImage(
      release,
      crane,
      `${registry.address}/Owner/Repository`,
    )
    expect(image).toBe(`${registry.address}/owner/repository`)
    expect(Object.keys(platforms)).toEqual(['linux/amd64', 'linux/arm64'])
    await expect(ask('ls', image)).resolves.toBe('')
    for (const [platform, ofPlatform] of Object.entries(platforms)) {
      await expect(ask('digest', '--platform', platform, `${image}@${digest}`)).resolves.toBe(
        ofPlatform,
      )
      await ask('validate', '--remote', `${image}@${ofPlatform}`)
    }
    const index = JSON.parse(await ask('manifest', `${image}@${digest}`))
    expect(index.annotations).toEqual({ 'org.opencontainers.image.version': VERSION })

    const { chart, chartDigest } = await publishChart(release, helm)
    const pulled = ['--plain-http', `oci://${chart}@${chartDigest}`]
    const { stdout } = await run(helm, ['template', 'stellar-x402', ...pulled])
    const operator = loadAll(stdout)
      .map(Object)
      .find(({ kind }) => kind === 'Deployment')
    const [container] = operator.spec.template.spec.containers
    expect(container.image).toBe(`${image}@${digest}`)
    expect(operator.metadata.labels['app.kubernetes.io/version']).toBe(VERSION)

    await expect(tagImage(release, crane)).resolves.toBe(`${image}:${VERSION}`)
    await expect(ask('digest', `${image}:${VERSION}`)).resolves.toBe(digest)
    const record = JSON.parse(await readFile(join(release.out, `release-${VERSION}.json`), 'utf8'))
    expect(record).toEqual({ image, digest, platforms, chart, chartDigest })
  })

  test('refuses an image of another version, and two of one architecture', async ({ skip }) => {
    if ('missing' in tools) return skip(tools.missing)
    const { crane } = tools
    const other = { ...release, version: '9.9.9' }
    const archive = (name: string) => join(release.out, `stellar-x402-9.9.9-${name}.tar`)
    await writeArchive(archive('amd64'), { version: '9.9.8', architecture: 'amd64' })
    const push = () => pushImage(other, crane, `${registry.address}/other`)
    await expect(push()).rejects.toThrow('has version 9.9.8, not 9.9.9')
    await writeArchive(archive('amd64'), { version: '9.9.9', architecture: 'amd64' })
    await copyFile(archive('amd64'), archive('copy'))
    await expect(push()).rejects.toThrow('Two archives have an image for linux/amd64')
  })

  test('needs images, and a push before the chart', async ({ skip }) => {
    if ('missing' in tools) return skip(tools.missing)
    const { crane, helm } = tools
    const none = { ...release, version: '0.0.1' }
    await expect(pushImage(none, crane, 'registry.example/svc')).rejects.toThrow(
      'has no stellar-x402-0.0.1-*.tar. Build the image first: make image.',
    )
    await expect(publishChart(none, helm)).rejects.toThrow('Push the image first')
    await expect(pushImage(release, crane, '')).rejects.toThrow('REPOSITORY is missing')
  })
})
