import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { publicBytesOf, signBytes } from '../../../src/stellar/accounts/ed25519.ts'
import type { StandInAnswer } from './vault-stand-in.ts'

interface StandInKey {
  readonly type: string
  readonly derived: boolean
  readonly versions: KeyObject[]
  lowestToSign: number
}

/** The transit engine of the stand-in, as its documentation and the sources of Vault 1.21 describe it. */
export class StandInTransit {
  readonly #keys = new Map<string, StandInKey>()

  handle(method: string, path: string, body: Record<string, unknown>): StandInAnswer | undefined {
    const [what, name = '', action] = path.split('/')
    const key = this.#keys.get(name)
    if (what === 'sign') return key ? sign(key, body) : failed(400, 'signing key not found')
    if (what !== 'keys') return undefined
    if (method === 'GET') return key ? show(name, key) : { status: 404, body: { errors: [] } }
    if (action === 'rotate') key?.versions.push(newVersion())
    if (action === 'config' && key) key.lowestToSign = Number(body['min_encryption_version'])
    if (action === undefined) {
      const { type = 'aes256-gcm96', derived = false } = body as Partial<StandInKey>
      this.#keys.set(name, { type, derived, versions: [newVersion()], lowestToSign: 0 })
    }
    return { status: 200, body: {} }
  }
}

const newVersion = (): KeyObject => generateKeyPairSync('ed25519').privateKey

const failed = (status: number, ...errors: string[]): StandInAnswer => ({
  status,
  body: { errors },
})

function show(name: string, { type, derived, versions }: StandInKey): StandInAnswer {
  const entries = versions.map((key, index) => {
    const shown = {
      name: type,
      public_key: derived ? '' : Buffer.from(publicBytesOf(key)).toString('base64'),
      creation_time: '2026-01-01T00:00:00Z',
    }
    // Of a symmetric key it shows when each version was made.
    return [index + 1, type === 'aes256-gcm96' ? 1_767_225_600 : shown]
  })
  const data = { name, type, derived, latest_version: versions.length }
  return { status: 200, body: { data: { ...data, keys: Object.fromEntries(entries) } } }
}

function sign(key: StandInKey, body: Record<string, unknown>): StandInAnswer {
  if (key.type === 'aes256-gcm96') {
    return failed(400, `key type ${key.type} does not support signing`)
  }
  const inputs = body['batch_input'] as readonly { readonly input: string }[]
  const version = Number(body['key_version'] ?? 0) || key.versions.length
  const results = inputs.map(({ input }) => signOne(key, version, Buffer.from(input, 'base64')))
  return { status: 200, body: { data: { batch_results: results } } }
}

function signOne({ versions, lowestToSign }: StandInKey, version: number, input: Buffer) {
  const key = versions[version - 1]
  if (!key) return { error: 'requested version for signing is higher than the latest key version' }
  if (version < lowestToSign) {
    return {
      error: 'requested version for signing is less than the minimum encryption key version',
    }
  }
  const signature = Buffer.from(signBytes(input, key)).toString('base64')
  return { signature: `vault:v${version}:${signature}`, key_version: version }
}
