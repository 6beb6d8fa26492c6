import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { svcProgram } from '../../../../support/programs/program-path.ts'
import type { Stack } from '../../../../support/stack.ts'
import { DEADLINE_MS, SignalledSvc } from '../../signalled-svc.ts'
import { onceSeller } from './once-seller.ts'
import { type OnceWorld, onceWorld, until } from './once-world.ts'

/* `svc pay` gives its answer away before the purchase ends. The outputs really fail. */

let world: OnceWorld
let stack: Stack
let payTo: string
let files = 0
beforeAll(async () => {
  world = await onceWorld()
  ;({ stack, payTo } = world)
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => world.begin())

const newFile = () => join(world.folder, `receipt-${files++}.json`)

/** Pays with a program whose standard output is this file. */
async function payInto(path: string, ...words: readonly string[]) {
  const output = openSync(path, 'w')
  const child = spawn(process.execPath, [svcProgram(), ...words], {
    env: world.env(),
    stdio: ['ignore', output, 'pipe'],
  })
  closeSync(output)
  let err = ''
  child.stderr?.on('data', (part: Buffer) => {
    err += part.toString()
  })
  const [code] = await once(child, 'close')
  return { code, err }
}

describe('an answer that cannot be written', () => {
  test.each([['--json'], []])(
    'for nobody reads it is given by the next command %s',
    async (...more) => {
      await using seller = await onceSeller(stack, { payTo })
      seller.manner = 'waits'
      using paying = new SignalledSvc(world.env(), ...world.args(seller.url), ...more)
      await until(() => seller.settled === 1)
      paying.closeOutput()
      seller.answerLate()
      const ran = await paying.ended
      expect(ran.err).toMatch(
        /^svc pay: it is paid, and the answer could not be written: .*EPIPE.*\. The same command again pays nothing more/,
      )
      expect(ran.code).toBe(2)
      seller.manner = 'answers'
      expect(await world.pay(seller.url)).toMatchObject({ code: 0, lines: [{ body: 'sunny' }] })
      expect(await world.debits()).toBe(1n)
    },
  )

  test('for the disk is full is given by the next command, and paid once', async () => {
    await using seller = await onceSeller(stack, { payTo })
    const save = ['--save-receipt', newFile()]
    const ran = await payInto('/dev/full', ...world.args(seller.url), ...save)
    expect(ran.err).toMatch(/^svc pay: it is paid, and the answer could not be written: ENOSPC/)
    expect(ran.code).toBe(2)
    const again = await world.pay(seller.url, ...save)
    expect(again, again.err).toMatchObject({
      code: 0,
      // The last stage alone: the others were not made by this command.
      lines: [{ body: 'sunny', stages: [{ name: 'answer' }] }],
    })
    expect(again.lines[0].stages[0].ms).toBeLessThan(DEADLINE_MS)
    expect(new Set(seller.payments).size).toBe(1)
    expect(await world.debits()).toBe(1n)
    expect(await world.pay(seller.url)).toMatchObject({ code: 0, err: '' })
    expect(await world.debits()).toBe(2n)
  })

  test('is lost where the seller knows no identifiers, and not paid again unasked', async () => {
    await using seller = await onceSeller(stack, { payTo, knowsIds: false })
    const ran = await payInto('/dev/full', ...world.args(seller.url), '--json')
    expect(ran).toMatchObject({ code: 2 })
    expect(await world.pay(seller.url)).toMatchObject({
      code: 2,
      lines: [{ paid: true, error: 'paid_without_answer' }],
    })
    expect(await world.debits()).toBe(1n)
  })
})

describe('a receipt', () => {
  test('that cannot be saved leaves the purchase open, and its answer is printed', async () => {
    await using seller = await onceSeller(stack, { payTo })
    const kept = newFile()
    mkdirSync(kept, { recursive: true })
    const save = ['--save-receipt', join(kept, 'receipt.json')]
    seller.manner = 'waits'
    const paying = world.pay(seller.url, ...save)
    await until(() => seller.settled === 1)
    rmSync(kept, { recursive: true })
    seller.answerLate()
    const ran = await paying
    expect(ran, ran.err).toMatchObject({ code: 2, lines: [{ body: 'sunny' }] })
    expect(ran.err).toContain('it is paid, and its receipt could not be saved: ')

    mkdirSync(kept)
    seller.manner = 'answers'
    expect(await world.pay(seller.url, ...save)).toMatchObject({
      code: 0,
      lines: [{ body: 'sunny' }],
    })
    expect(readdirSync(kept)).toEqual(['receipt.json'])
    expect(JSON.parse(readFileSync(join(kept, 'receipt.json'), 'utf8'))).toMatchObject({
      url: seller.url,
    })
    expect(await world.debits()).toBe(1n)
  })

  test('is no empty file when the program is killed before it is saved', async () => {
    await using seller = await onceSeller(stack, { payTo })
    const receipt = newFile()
    const save = ['--save-receipt', receipt]
    seller.manner = 'waits'
    using killed = new SignalledSvc(world.env(), ...world.args(seller.url), ...save)
    await until(() => seller.settled === 1)
    expect(existsSync(receipt)).toBe(false)
    killed.signal('SIGKILL')
    await killed.ended
    seller.manner = 'answers'
    expect(await world.pay(seller.url, ...save)).toMatchObject({
      code: 0,
      lines: [{ body: 'sunny' }],
    })
    expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ url: seller.url })
    expect(await world.debits()).toBe(1n)
  })
})
