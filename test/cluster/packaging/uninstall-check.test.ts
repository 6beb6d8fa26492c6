import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { KubeConfig } from '@kubernetes/client-node'
import { expect } from 'vitest'
import { finalizer } from '../../../src/kubernetes/crd/names/marks.ts'
import { chartPath } from '../../../tools/generate/rendered.ts'
import { installDefinitions } from '../kubernetes/crd/objects.ts'
import { test } from '../support/cluster-test.ts'

const run = promisify(execFile)

const pool = (name: string, finalizers: readonly string[]) => ({
  apiVersion: 'x402.svc.dev/v1beta1',
  kind: 'ChannelPool',
  metadata: { name, finalizers },
  spec: {
    network: 'stellar:testnet',
    rpc: { urls: ['https://rpc.example'] },
    sponsor: { secretRef: { name: 'sponsor' } },
    database: { secretRef: { name: 'database' } },
  },
})

/** PEM of the authority that signed the server's certificate. */
async function authorityOf(kubeconfigPath: string): Promise<string> {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigPath)
  const { caData, caFile = '' } = config.getCurrentCluster() ?? {}
  return caData === undefined ? readFile(caFile, 'utf8') : Buffer.from(caData, 'base64').toString()
}

test('an uninstallation that deletes the definitions stops while the operator still has to finish a deletion', async ({
  cluster,
}) => {
  await installDefinitions(cluster)
  await using namespace = await cluster.namespace('uninstall')
  const pools = `/apis/x402.svc.dev/v1beta1/namespaces/${namespace.name}/channelpools`
  const folder = await mkdtemp(join(tmpdir(), 'svc-uninstall-'))
  try {
    const within = ['--namespace', namespace.name]
    const role = ['--verb=list', '--resource=channelpools.x402.svc.dev']
    await cluster.kubectl(['create', ...within, 'role', 'operator', ...role])
    const binding = ['--role=operator', `--serviceaccount=${namespace.name}:default`]
    await cluster.kubectl(['create', ...within, 'rolebinding', 'operator', ...binding])
    const tokenFile = join(folder, 'token')
    await writeFile(tokenFile, await cluster.kubectl(['create', ...within, 'token', 'default']))
    const caFile = join(folder, 'ca.crt')
    await writeFile(caFile, await authorityOf(cluster.kubeconfigPath))
    const check = () =>
      run(process.execPath, [`${chartPath}/files/uninstall-check.mjs`], {
        env: {
          API_URL: cluster.server,
          TOKEN_FILE: tokenFile,
          NODE_EXTRA_CA_CERTS: caFile,
          NAMESPACES: namespace.name,
        },
      })

    await check()
    await cluster.request('POST', pools, { body: pool('bare', []) })
    await check()
    await cluster.request('POST', pools, { body: pool('kept', [finalizer]) })
    await expect(check()).rejects.toMatchObject({
      stderr: expect.stringContaining(
        `Delete ChannelPool ${namespace.name}/kept first: kubectl --namespace ${namespace.name} delete channelpool/kept\n`,
      ),
    })
    await cluster.request('DELETE', `${pools}/kept`)
    await expect(check()).rejects.toMatchObject({
      stderr: expect.stringContaining(`Wait until ChannelPool ${namespace.name}/kept is deleted`),
    })
    const body = { metadata: { finalizers: null } }
    const contentType = 'application/merge-patch+json'
    await cluster.request('PATCH', `${pools}/kept`, { body, contentType })
    await check()
  } finally {
    await rm(folder, { recursive: true })
  }
})
