/** A real Vault, built from its Go module by `make test-vault`: see test/fixtures/vault. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { createCertificate } from '../../../src/localnet/server/certificate.ts'
import type { Tool } from '../../cluster/support/go-build.ts'
import { atHand, type Means } from '../../cluster/support/means.ts'
import type { RunningVault } from './vault-admin.ts'

export const vaultProgram = ({ goTool }: Means = atHand): Promise<Tool> =>
  goTool({
    name: 'vault-for-tests',
    folder: join(import.meta.dirname, '../../fixtures/vault'),
    target: '.',
    ldflags: '-s -w',
    // As for the API server of the cluster tests: inlining takes a third of the time to compile.
    gcflags: ['all=-l -dwarf=false', 'std='],
    duration: '8 minutes',
    builder: 'make test-vault',
  })

/** What test/fixtures/vault/main.go prints. */
interface Opened {
  readonly port: number
  readonly rootToken: string
  readonly unsealKey: string
}

export async function startRealVault(program: string): Promise<RunningVault> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-vault-'))
  const [certFile, keyFile] = [join(folder, 'vault.crt'), join(folder, 'vault.key')]
  let authority = ''
  const renewCertificate = async () => {
    const made = await createCertificate(Date.now(), 1)
    await writeFile(keyFile, made.key, { mode: 0o600 })
    await writeFile(certFile, made.cert)
    authority = made.authority
  }
  await renewCertificate()
  const child = spawn(program, ['-cert', certFile, '-key', keyFile])
  const ended = once(child, 'close')
  const errors = text(child.stderr)
  const { promise: line, resolve } = Promise.withResolvers<string>()
  createInterface(child.stdout).once('line', resolve)
  const failed = ended.then(async () => {
    throw new Error(`the real Vault ended: ${await errors}`)
  })
  const opened: Opened = JSON.parse(await Promise.race([line, failed]))
  failed.catch(() => undefined)
  return {
    address: `https://localhost:${opened.port}`,
    rootToken: opened.rootToken,
    unsealKey: opened.unsealKey,
    get authority() {
      return authority
    },
    renewCertificate,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
