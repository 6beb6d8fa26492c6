import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPinFlags, digestOf, readPin } from '../../../../src/signing/pkcs11/token-pin.ts'

describe('readPin', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-pin-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const read = async (content: string, refused?: string) => {
    const file = join(folder, 'pin')
    await writeFile(file, content)
    return (await readPin(file, refused)).toString()
  }

  test.each([
    { when: 'alone', content: '4711', pin: '4711' },
    { when: 'on a line', content: '4711\n', pin: '4711' },
    { when: 'on a line of Windows', content: '4711\r\n', pin: '4711' },
    { when: 'with blanks, which belong to it', content: ' 47 11 \n', pin: ' 47 11 ' },
    { when: 'in UTF-8', content: 'schlüssel\n', pin: 'schlüssel' },
  ])('reads a PIN $when', async ({ content, pin }) => {
    expect(await read(content)).toBe(pin)
  })

  test('is denied with the PIN that was refused, however the file is written', async () => {
    const refused = digestOf(Buffer.from('4711'))
    await expect(read('4711', refused)).rejects.toMatchObject({
      problem: 'denied',
      digest: refused,
    })
    await expect(read('4711\n', refused)).rejects.toMatchObject({ digest: refused })
    expect(await read('4712\n', refused)).toBe('4712')
  })

  test.each(['', '\n', '\r\n'])('is denied with an empty file: %j', async (content) => {
    await expect(read(content)).rejects.toMatchObject({ problem: 'denied' })
  })
})

describe('checkPinFlags', () => {
  const LOGIN_REQUIRED = 0x4
  const COUNT_LOW = 0x10000
  const FINAL_TRY = 0x20000
  const LOCKED = 0x40000

  test.each([LOGIN_REQUIRED, LOGIN_REQUIRED | COUNT_LOW])('lets %i log in', (flags) => {
    expect(() => checkPinFlags(flags)).not.toThrow()
  })

  test.each([
    { flags: COUNT_LOW | FINAL_TRY, message: 'would lock the token' },
    { flags: LOCKED, message: 'has locked its PIN' },
    { flags: FINAL_TRY | LOCKED, message: 'has locked its PIN' },
  ])('does not let $flags log in', ({ flags, message }) => {
    expect(() => checkPinFlags(flags)).toThrow(message)
  })
})
