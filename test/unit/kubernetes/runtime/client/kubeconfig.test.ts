import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readCredentials } from '../../../../../src/kubernetes/runtime/client/credentials.ts'
import {
  KubeconfigUnusable,
  loadKubeconfig,
} from '../../../../../src/kubernetes/runtime/client/kubeconfig.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const configOf = (name: string, user: object, cluster: object = {}): string =>
  JSON.stringify({
    'current-context': name,
    clusters: [{ name, cluster: { server: `https://${name}.example`, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `of-${name}` } }],
  })

describe('a kubeconfig', () => {
  test('is read as YAML, with paths from its own folder', () => {
    const kubeconfig = write(
      'a/config',
      [
        'current-context: here',
        'clusters: [{name: c, cluster: {server: "https://c.example/", certificate-authority: ca.crt}}]',
        'users: [{name: u, user: {client-certificate: tls.crt, client-key: /keys/tls.key}}]',
        'contexts: [{name: here, context: {cluster: c, user: u}}]',
      ].join('\n'),
    )
    expect(loadKubeconfig({ kubeconfig })).toMatchObject({
      cluster: { server: 'https://c.example', caFile: join(folder, 'a/ca.crt') },
      user: { certFile: join(folder, 'a/tls.crt'), keyFile: '/keys/tls.key' },
      namespace: undefined,
    })
  })

  test('is the one of KUBECONFIG, of which the first file with a name counts, before that of the home folder', () => {
    const home = join(folder, 'home')
    write('home/.kube/config', configOf('home', {}))
    const first = write('first', configOf('one', { token: '1' }))
    const second = write('second', configOf('two', { token: '2' }))
    const env = { HOME: home, KUBECONFIG: `${first}:${second}` }
    expect(loadKubeconfig({ env })).toMatchObject({ namespace: 'of-one', user: { token: '1' } })
    expect(loadKubeconfig({ env, context: 'two' })).toMatchObject({ user: { token: '2' } })
    expect(loadKubeconfig({ env: { HOME: home } })).toMatchObject({ namespace: 'of-home' })
  })

  test.each([
    { text: configOf('a', {}), context: 'b', says: 'names a file without the context b' },
    { text: 'clusters: []', context: undefined, says: 'names a file without a current cluster' },
    { text: '', context: undefined, says: 'names a file' },
    { text: '{', context: undefined, says: 'names a file that cannot be read as a kubeconfig (' },
    {
      text: 'clusters: [{name: a, cluster: {}}]',
      context: undefined,
      says: 'names a file that cannot be read as a kubeconfig (clusters[0].cluster.server is missing)',
    },
  ])('without use is refused: $says', ({ text, context, says }) => {
    const kubeconfig = write('config', text)
    const load = () => loadKubeconfig({ kubeconfig, context })
    expect(load).toThrow(KubeconfigUnusable)
    expect(load).toThrow(says)
  })

  test('is required outside of a pod', () => {
    expect(() => loadKubeconfig({ env: { HOME: folder } })).toThrow(/is required outside of a pod/)
  })
})

describe('credentials', () => {
  const credentialsOf = (user: object, cluster?: object) =>
    readCredentials(loadKubeconfig({ kubeconfig: write('config', configOf('a', user, cluster)) }))
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  test('are files, data and headers', async () => {
    write('ca.crt', 'the authority')
    const user = {
      'client-certificate-data': base64('a certificate'),
      'client-key-data': base64('a key'),
      as: 'somebody',
      token: 'secret',
    }
    const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'api' }
    expect(await credentialsOf(user, cluster)).toEqual({
      ca: Buffer.from('the authority'),
      cert: Buffer.from('a certificate'),
      key: Buffer.from('a key'),
      servername: 'api',
      headers: { Authorization: 'Bearer secret', 'Impersonate-User': 'somebody' },
    })
    expect(await credentialsOf({}, { 'insecure-skip-tls-verify': true })).toEqual({
      headers: {},
      rejectUnauthorized: false,
    })
    const basic = { username: 'me', password: 'secret' }
    expect(await credentialsOf(basic)).toEqual({ headers: {}, auth: 'me:secret' })
  })

  test('of a pod are those that its service account has now', async () => {
    const token = write('token', 'first\n')
    write('ca.crt', 'the authority')
    write('namespace', 'x402')
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
    const access = loadKubeconfig({ env, serviceAccount: folder })
    expect(access).toMatchObject({
      cluster: { server: 'https://[fd00::1]:443' },
      namespace: 'x402',
    })
    const ca = Buffer.from('the authority')
    const headers = (text: string) => ({ Authorization: `Bearer ${text}` })
    expect(await readCredentials(access)).toEqual({ ca, headers: headers('first') })
    writeFileSync(token, 'second\n')
    expect(await readCredentials(access)).toEqual({ ca, headers: headers('second') })
  })

  test('come from the program that the kubeconfig names', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'made' },
    }
    const exec = {
      apiVersion: credential.apiVersion,
      command: process.execPath,
      args: ['-p', JSON.stringify(JSON.stringify(credential))],
    }
    expect(await credentialsOf({ exec })).toMatchObject({
      headers: { Authorization: 'Bearer made' },
    })
  })

  test('go through the proxy of the cluster', async () => {
    const { agent } = await credentialsOf({ token: 'secret' }, { 'proxy-url': 'http://proxy:3128' })
    expect(agent?.constructor.name).toBe('HttpsProxyAgent')
  })

  test('are not sent without TLS, unless the kubeconfig does without it', async () => {
    const server = 'http://a.example'
    await expect(credentialsOf({ token: 'secret' }, { server })).rejects.toThrow(/HTTP protocol/)
    const open = { server, 'insecure-skip-tls-verify': true }
    expect(await credentialsOf({ token: 'secret' }, open)).toMatchObject({
      headers: { Authorization: 'Bearer secret' },
    })
  })
})
