import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ApiKeys } from '../../../../src/platform/http/access/api-keys.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { followApiKeyFile } from '../../../../src/service/server/api-key-file.ts'
import { digestOf } from '../../../support/api-keys.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

/** Reading a file takes so long on a busy machine. */
const patience = { timeout: 120_000, interval: 5 }

describe('the file of API keys', () => {
  let directory: string
  let file: string
  let opened: AsyncDisposableStack

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-keys-'))
    file = join(directory, 'digests')
    opened = new AsyncDisposableStack()
    opened.defer(() => rm(directory, { recursive: true }))
  })
  afterEach(() => opened.disposeAsync())

  function follow() {
    const clock = new FakeClock()
    const lines: Record<string, unknown>[] = []
    const logger = createLogger({ destination: { write: (line) => lines.push(JSON.parse(line)) } })
    const keys = new ApiKeys(clock, [{ digest: digestOf('of the start') }])
    opened.use(followApiKeyFile({ file, keys, clock, logger }))
    const knows = (key: string) => keys.identify({ 'x-api-key': key }) !== undefined
    const hasRead = () => expect.poll(() => clock.sleeping, patience).toBe(1)
    const later = async (ms = 5_000) => {
      await hasRead()
      await clock.advance(ms)
      await hasRead()
    }
    const until = (ms: number) => new Date(clock.now() + ms).toISOString()
    return { knows, later, hasRead, lines, until }
  }

  test('is read again while the service runs, and replaces all keys', async () => {
    await writeFile(file, digestOf('a'))
    const { knows, later, hasRead } = follow()
    await hasRead()
    expect([knows('a'), knows('b'), knows('of the start')]).toEqual([true, false, false])

    await writeFile(file, `${digestOf('b')}\n${digestOf('c').toUpperCase()},\n`)
    await later()
    expect([knows('a'), knows('b'), knows('c')]).toEqual([false, true, true])
  })

  test('may say until when a key is valid: that key ends with no further change of the file', async () => {
    const { knows, later, hasRead, until } = follow()
    await writeFile(file, `${digestOf('a')};name=old;until=${until(60_000)}\n${digestOf('b')}`)
    await hasRead()
    await later()
    expect([knows('a'), knows('b')]).toEqual([true, true])
    await later(60_000)
    expect([knows('a'), knows('b')]).toEqual([false, true])
  })

  test('may be a link that changes its target, as Kubernetes does it', async () => {
    await writeFile(join(directory, 'v1'), digestOf('a'))
    await writeFile(join(directory, 'v2'), digestOf('b'))
    await symlink('v1', file)
    const { knows, later } = follow()
    await symlink('v2', `${file}.new`)
    await rename(`${file}.new`, file)
    await later()
    expect([knows('a'), knows('b')]).toEqual([false, true])
  })

  test('is a mistake when a line is no digest: it keeps the old keys, and logs it once', async () => {
    await writeFile(file, digestOf('a'))
    const { knows, later, hasRead, lines } = follow()
    await hasRead()
    await writeFile(file, `${digestOf('b')}\nplain-key`)
    await later()
    await later()
    expect([knows('a'), knows('b')]).toEqual([true, false])
    const problem = 'the file holds something other than digests: entry 2 is not a SHA-256 digest'
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { err: { message: problem } },
    ])

    await writeFile(file, digestOf('b'))
    await later()
    expect(knows('b')).toBe(true)
  })

  test('keeps the old keys when it cannot be read, and logs it once', async () => {
    await writeFile(file, digestOf('a'))
    const { knows, later, hasRead, lines } = follow()
    await hasRead()
    await unlink(file)
    await mkdir(file)
    await later()
    await later()
    expect(knows('a')).toBe(true)
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  })

  test.each<{ what: string; spoil: () => Promise<void> }>([
    { what: 'missing', spoil: () => unlink(file) },
    { what: 'empty', spoil: () => writeFile(file, '\n') },
  ])('withdraws every key when it is $what twice in a row, and accepts new ones', async (given) => {
    await writeFile(file, digestOf('a'))
    const { knows, later, hasRead, lines } = follow()
    await hasRead()
    await given.spoil()
    await later()
    expect(knows('a')).toBe(true)
    await later()
    await later()
    expect([knows('a'), knows('of the start')]).toEqual([false, false])
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { file, msg: `No API key is accepted: the file with the digests is ${given.what}` },
    ])

    await writeFile(file, digestOf('b'))
    await later()
    expect([knows('a'), knows('b')]).toEqual([false, true])
  })

  test('keeps the old keys while a program replaces it', async () => {
    await writeFile(file, digestOf('a'))
    const { knows, later, hasRead, lines } = follow()
    await hasRead()
    await unlink(file)
    await later()
    await writeFile(file, '')
    await later()
    await writeFile(file, digestOf('a'))
    await later()
    expect(knows('a')).toBe(true)
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
  })
})
