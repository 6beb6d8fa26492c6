import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import { leakedFrom } from '../../../support/kubectl/canaries.ts'
import { NAME, patience, type Rig, test } from '../operator/facilitator/rig.ts'
import { exceeds, runKube, userWith } from './run-kube.ts'

const runner = (rig: Rig, kubeconfig = rig.cluster.kubeconfigPath) => {
  const at = ['--kubeconfig', kubeconfig, '-n', rig.namespace]
  return (action: string, ...args: readonly string[]) => runKube(action, ...args, ...at)
}

const isReady = (rig: Rig) =>
  vi.waitFor(async () => {
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    expect(await rig.condition('Progressing')).toMatchObject({ status: 'False' })
  }, patience)

/** Without the line breaks of the page. */
const oneLine = (page: string): string => page.replaceAll(/\s+/g, ' ')

const spec = async (rig: Rig) => Object(await rig.facilitator()).spec

describe('kubectl svc on a real API server', () => {
  test('shows a Facilitator on one screen, pauses it, resumes it and replaces its pods', async ({
    rig,
  }) => {
    const run = runner(rig)
    await rig.begin()
    await isReady(rig)

    const shown = await run('status')
    expect(shown).toMatchObject({ code: 0, err: '' })
    expect(exceeds(shown.out)).toEqual([])
    expect(shown.out).toContain(`Facilitator ${NAME} in ${rig.namespace}: READY (Serving)`)
    expect(shown.out).toMatch(/^Facilitator +2\/2 +2\/2 +0 +registry\.example/m)
    expect(shown.out).toMatch(/^testnet +stellar:testnet +8\/8 +0/m)
    expect(shown.out).toContain('PROBLEMS: none')
    // The nodes run no container, so no pod can answer.
    expect(oneLine(shown.out)).toMatch(
      /Not readable: pod payments-\S+: the API server does not reach/,
    )
    const { out } = await run('status', NAME, '-o', 'json')
    expect(JSON.parse(out)).toMatchObject({ name: NAME, ready: 'True', payments: null })

    const before = await spec(rig)
    expect(await run('pause', NAME)).toMatchObject({ code: 0 })
    expect((await run('pause', NAME)).out).toContain('already paused')
    const paused = await run('status', NAME)
    expect(paused.out).toContain('PAUSED')
    expect(paused.out).toContain(`kubectl svc resume ${NAME}`)
    expect(await run('rollout', NAME)).toMatchObject({ code: 1, out: '' })
    expect(await run('resume', NAME)).toMatchObject({ code: 0 })
    expect(await spec(rig)).toEqual(before)

    const rolled = await run('rollout', NAME, '--wait', '--wait-timeout', '60s')
    expect(rolled).toMatchObject({ code: 0, err: '' })
    expect(rolled.out).toMatch(/Every pod is replaced\.\n$/)
    expect(await rig.list('apis/apps/v1', 'replicasets')).toHaveLength(2)
    const owners = Object(await rig.facilitator()).metadata.managedFields.filter(
      ({ manager }: { manager: string }) => manager === 'kubectl-svc',
    )
    expect(owners.map(({ fieldsV1 }: { fieldsV1: unknown }) => fieldsV1)).toEqual([
      { 'f:metadata': { 'f:annotations': { '.': {}, 'f:x402.svc.dev/restartedAt': {} } } },
    ])

    expect(await run('pause', 'pool/testnet')).toMatchObject({ code: 0 })
    expect((await run('status')).out).toContain('kubectl svc resume pool/testnet')
    expect(await run('status', 'other')).toMatchObject({ code: 4, out: '' })
  })

  test('writes a report without what a Secret, an annotation or a setting holds', async ({
    rig,
  }) => {
    const run = runner(rig)
    const canaries = ['canary-of-a-secret', 'canary-of-an-annotation', 'canary-of-a-manifest']
    const [secret = '', annotation = '', manifest = ''] = canaries
    await rig.secret('canary', { token: secret })
    await rig.begin()
    await isReady(rig)
    await rig.change({
      metadata: {
        annotations: {
          'team.example/token': annotation,
          'kubectl.kubernetes.io/last-applied-configuration': `{"spec":{"x":"${manifest}"}}`,
        },
      },
    })
    const folder = await mkdtemp(join(tmpdir(), 'svc-report-'))
    try {
      const file = join(folder, 'report.tar.gz')
      rig.proxy.forget()
      const written = await runner(rig, rig.proxy.kubeconfigPath)('report', NAME, '-o', file)
      expect(written).toMatchObject({ code: 0, out: `${file}\n` })
      expect(rig.proxy.calls.filter(({ resource }) => resource === 'secrets')).toEqual([])
      expect(leakedFrom(await readFile(file), canaries)).toEqual([])
      const unpacked = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' })
      for (const part of ['facilitator', 'pools/testnet', 'children/deployments', 'events']) {
        expect(unpacked).toContain(`svc-report-${NAME}/${part}.json`)
      }
      expect(await run('report', NAME, '-o', file)).toMatchObject({
        code: 1,
        err: expect.stringContaining('exists, and is not overwritten'),
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('names the right that is missing, and shows the rest', async ({ rig }) => {
    await rig.begin()
    await isReady(rig)
    const token = await userWith(rig.cluster, rig.namespace, [
      { apiGroups: ['x402.svc.dev'], resources: ['facilitators'], verbs: ['get', 'list'] },
    ])
    const run = runner(rig, await rig.proxy.kubeconfigFor(token))
    const shown = await run('status')
    expect(shown.code).toBe(0)
    expect(exceeds(shown.out)).toEqual([])
    for (const right of ['list pods', 'get channelpools.x402.svc.dev', 'list events']) {
      expect(oneLine(shown.out)).toContain(
        `a right is missing: ${right} in the namespace ${rig.namespace}`,
      )
    }
    expect(shown.out).toMatch(/^Facilitator +2\/2 +2\/2 +\? +\?$/m)
    expect(await run('pause', NAME)).toMatchObject({
      code: 4,
      err: expect.stringContaining('patch facilitators.x402.svc.dev'),
    })
  })

  test('says in a sentence that no API server answers', async () => {
    const none = ['--kubeconfig', '/nowhere/kubeconfig']
    expect(await runKube('status', ...none)).toMatchObject({ code: 3, out: '' })
  })
})
