import { generateKeyPairSync } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { readBuyerKey } from '../../../../src/commands/buying/buyer-key.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'

/*
 * Where the payer's seed comes from. The keychain's own programs need a desktop: programs in their place, with the same
 * command line and output, stand on the path.
 */

let folder: string
const secret = Keypair.random().secret()

/** Prints the seed for the arguments that the real program takes, and fails for others as it does. */
const program = (args: string, text = secret): string =>
  `#!/bin/sh\nif [ "$*" = "${args}" ]; then printf '%s\\n' "${text}"; else echo "not found" >&2; exit 1; fi\n`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-key-'))
  const programs = {
    'secret-tool': program('lookup service svc-buyer account agent'),
    security: program('find-generic-password -s svc-buyer -a agent -w'),
  }
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(folder, name), text)
    await chmod(join(folder, name), 0o755)
  }
  await writeFile(join(folder, 'seed'), `${secret}\n`)
  await writeFile(join(folder, 'none'), 'hello\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())

const withPrograms = () => vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`)

describe('the key of a contract account', () => {
  const pem = String(
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({
      format: 'pem',
      type: 'pkcs8',
    }),
  ).trim()
  const account = usdcContracts['stellar:testnet']

  test('is a seed, or a private key in PEM, and the account is named beside it', async () => {
    await writeFile(join(folder, 'key.pem'), `${pem}\n`)
    const place = { account, keyFile: join(folder, 'key.pem') }
    expect(await readBuyerKey(place, {})).toEqual({ account, secret: pem })
    const variables = { BUYER_ACCOUNT: account, BUYER_SECRET: secret }
    expect(await readBuyerKey({}, variables)).toEqual({ account, secret })
  })

  test.each([
    { variables: { BUYER_SECRET: pem }, says: /^BUYER_SECRET holds no secret seed/ },
    {
      variables: { BUYER_ACCOUNT: account, BUYER_SECRET: 'hello' },
      says: /^BUYER_SECRET holds no key of a contract account/,
    },
    {
      variables: { BUYER_ACCOUNT: 'GABC', BUYER_SECRET: secret },
      says: /^BUYER_ACCOUNT is not the address of a contract account, C\.\.\.$/,
    },
  ])('is refused: $says', async ({ variables, says }) => {
    await expect(readBuyerKey({}, variables)).rejects.toMatchObject({
      code: 'bad_seed',
      message: expect.stringMatching(says),
    })
  })
})

describe('the seed', () => {
  test.each([
    { from: 'the environment', place: {}, variables: () => ({ BUYER_SECRET: secret }) },
    {
      from: 'a file that the environment names',
      place: {},
      variables: () => ({ BUYER_SECRET_FILE: join(folder, 'seed') }),
    },
  ])('is read from $from', async ({ place, variables }) => {
    expect(await readBuyerKey(place, variables())).toEqual({ secret })
  })

  test('is read from a file that a flag names, whatever the environment says', async () => {
    const variables = { BUYER_SECRET: 'other', BUYER_KEYCHAIN: 'other' }
    expect(await readBuyerKey({ keyFile: join(folder, 'seed') }, variables)).toEqual({ secret })
  })

  test.each(['linux', 'darwin'] as const)('is read from the keychain of %s', async (platform) => {
    withPrograms()
    const variables = { BUYER_SECRET: 'other', BUYER_ACCOUNT: 'other' }
    expect(await readBuyerKey({ keychain: 'agent' }, variables, platform)).toEqual({ secret })
    expect(await readBuyerKey({}, { BUYER_KEYCHAIN: 'agent' }, platform)).toEqual({ secret })
  })

  test.each([
    {
      when: 'the file holds none',
      place: () => ({ keyFile: join(folder, 'none') }),
      says: /^--key-file holds no secret seed/,
    },
    {
      when: 'the file is missing',
      place: () => ({ keyFile: join(folder, 'x') }),
      says: /^--key-file names a file that does not exist/,
    },
    { when: 'nothing names it', place: () => ({}), says: /^BUYER_SECRET must hold/ },
    {
      when: 'the keychain has no such entry',
      place: () => ({ keychain: 'nobody' }),
      says: /^secret-tool finds no entry of the service svc-buyer with the account nobody$/,
    },
    {
      when: 'the name of the entry holds a command',
      place: () => ({ keychain: 'agent"; echo S' }),
      says: /finds no entry/,
    },
  ])('is refused when $when', async ({ place, says }) => {
    withPrograms()
    const refused = readBuyerKey(place(), {}, 'linux')
    await expect(refused).rejects.toMatchObject({
      code: 'bad_seed',
      message: expect.stringMatching(says),
    })
  })

  test('is refused where the keychain has no program', async () => {
    vi.stubEnv('PATH', join(folder, 'nothing'))
    await expect(readBuyerKey({ keychain: 'agent' }, {}, 'linux')).rejects.toThrow(
      'the program secret-tool, which reads the keychain, is not installed here',
    )
    await expect(readBuyerKey({ keychain: 'agent' }, {}, 'win32')).rejects.toThrow(
      'no program for the keychain of win32 is known',
    )
  })
})
