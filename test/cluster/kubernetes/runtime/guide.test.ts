import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import { type ConfigMap, wellKnown } from '../../../../src/kubernetes/runtime/objects/well-known.ts'
import { widgets } from '../../support/widgets.ts'
import { type Place, patience, test } from './support/operator.ts'

const page = new URL('../../../../docs/kube-runtime.md', import.meta.url)
const runtime = new URL('../../../../src/package/kube.ts', import.meta.url)

/** The program of the page, which imports the runtime by its path. */
async function programOfPage(): Promise<string> {
  const code =
    /```ts\n(?<code>[\s\S]*?)```/.exec(await readFile(page, 'utf8'))?.groups?.['code'] ?? ''
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(60)
  return code.replace("'stellar-x402/kube'", `'${runtime.href}'`)
}

const GROUP = 'lamps.example.com'
const lampType = { group: GROUP, version: 'v1', plural: 'lamps', kind: 'Lamp', namespaced: true }

/** The CRD of Lamps: as that of widgets, with a spec and a status of any members. */
const definition = () => {
  const { spec, ...rest } = widgets(GROUP)
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } }
  const names = { kind: 'Lamp', plural: 'lamps', singular: 'lamp' }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
  return {
    ...rest,
    metadata: { name: `lamps.${GROUP}` },
    spec: { ...spec, names, versions: [version] },
  }
}

const lamp = (namespace: string, colour: string) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Lamp',
  metadata: { name: 'desk', namespace },
  spec: { colour },
})

async function colourOf({ others, namespace }: Place): Promise<string | undefined> {
  const map: ConfigMap = await others.get(wellKnown.configMap, { namespace, name: 'desk' })
  return map.data?.['colour']
}

describe('on a real API server, the controller of the guide', () => {
  test('creates, follows and restores its objects, and ends when it is stopped', async ({
    cluster,
    place,
  }) => {
    const { others, namespace } = place
    const folder = await mkdtemp(join(tmpdir(), 'guide-'))
    const file = join(folder, 'lamps.mts')
    await writeFile(file, await programOfPage())
    const applied = cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(definition()) })
    expect(await applied).toContain(GROUP)
    await cluster.kubectl(['wait', '--for=condition=Established', `crd/lamps.${GROUP}`])
    const program = spawn(process.execPath, [file], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath, POD_NAMESPACE: namespace },
    })
    const ended = once(program, 'exit')
    try {
      await others.apply(lampType, lamp(namespace, 'red'))
      const shows = (colour: string) =>
        vi.waitFor(async () => {
          expect(await colourOf(place)).toBe(colour)
          expect(await others.get(lampType, { namespace, name: 'desk' })).toMatchObject({
            status: { colour },
          })
        }, patience)
      await shows('red')
      await others.apply(lampType, lamp(namespace, 'blue'))
      await shows('blue')
      await others.delete(wellKnown.configMap, { namespace, name: 'desk' })
      await shows('blue')
      program.kill('SIGTERM')
      expect((await ended)[0]).toBe(0)
    } finally {
      program.kill('SIGKILL')
      await rm(folder, { recursive: true })
      await cluster.kubectl(['delete', `crd/lamps.${GROUP}`, '--wait=false'])
    }
  })
})
