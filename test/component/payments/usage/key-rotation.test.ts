/** An API key is rotated while its caller pays all the time: docs/operations.md, "Rotate an API key". */
import { expect, it } from 'vitest'
import { digestOf } from '../../../support/api-keys.ts'
import { type Call, openRotationWorld, type RotationWorld, type Seller } from './rotation-world.ts'

const OLD = 'svc_old'
const OTHER = 'svc_other'
const oldEntry = `${digestOf(OLD)};name=shop`
const otherEntry = `${digestOf(OTHER)};name=other`
const subjectOf = (key: string) => `key:${digestOf(key).slice(0, 16)}`

/** Files are read and uses are noted every five seconds; a loaded machine takes longer. */
const patience = { timeout: 180_000, interval: 100 }
const bothAre = (answer: string) => [answer, answer]

/** Replaces the file, and resolves once both replicas have read it. */
async function change(world: RotationWorld, ...entries: readonly string[]): Promise<void> {
  const before = world.replicas.map(({ reads }) => reads())
  await world.write(...entries)
  const haveRead = () => world.replicas.every(({ reads }, at) => reads() > (before[at] ?? 0))
  await expect.poll(haveRead, patience).toBe(true)
}

/** What `svc keys list` prints of a key. */
async function list(world: RotationWorld) {
  const { code, lines } = await world.listKeys()
  expect(code).toBe(0)
  return (key: string) => lines.find(({ subject }) => subject === subjectOf(key))
}

/** Resolves once a seller has been paid this many times more. */
async function paidAgain({ calls }: Seller, times = 2): Promise<void> {
  const paid = () => calls.filter(({ answer }) => answer === 'paid').length
  const enough = paid() + times
  await expect.poll(paid, patience).toBeGreaterThanOrEqual(enough)
}

const processOf = async ({ replicas }: RotationWorld) =>
  Promise.all(
    replicas.map(async ({ url, child: { pid, exitCode, signalCode } }) => {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      const [, startedAt] = /^svc_process_start_time_seconds (\S+)$/m.exec(metrics) ?? []
      return { pid, exitCode, signalCode, startedAt }
    }),
  )

it('changes over without a restart and without a refused call', { timeout: 400_000 }, async () => {
  await using world = await openRotationWorld([oldEntry, otherEntry])
  const before = await processOf(world)
  const running = {
    pid: expect.any(Number),
    exitCode: null,
    signalCode: null,
    startedAt: expect.stringMatching(/^\d{10}/),
  }
  expect(before).toEqual([running, running])
  const seller = await world.sell(OLD)
  const bystander = await world.sell(OTHER)
  await paidAgain(seller)

  // A new key beside the old one: both are valid.
  const [made] = (await world.svc('keys', 'new', '--name', 'shop')).lines
  const NEW: string = made.key
  expect(await world.ask(NEW)).toEqual(bothAre('401 /usage needs a valid API key'))
  await change(world, oldEntry, made.entry, otherEntry)
  expect(await world.ask(NEW)).toEqual(bothAre('200'))
  await paidAgain(seller)

  // The caller changes over.
  seller.key = NEW
  const isNew = ({ key }: { key: string }) => key === NEW
  await expect.poll(() => seller.calls.some(isNew), patience).toBe(true)
  const shown = async () => {
    const listed = await list(world)
    return [OLD, NEW].map((key) => listed(key))
  }
  const valid = { name: 'shop', state: 'valid', lastUsedAt: expect.stringMatching(/^20/) }
  await expect.poll(shown, patience).toMatchObject([valid, valid])

  // It ends by its time, with no change of the file at that time.
  const until = Date.now() + 9_000
  const ending = `${oldEntry};until=${new Date(until).toISOString()}`
  await change(world, ending, made.entry, otherEntry)
  const refused = `401 /usage needs a valid API key: this one was valid until ${new Date(until).toISOString()}`
  await expect.poll(() => world.ask(OLD), patience).toEqual(bothAre(refused))
  expect(Date.now()).toBeGreaterThanOrEqual(until)
  expect((await list(world))(OLD)).toMatchObject({
    state: 'ended',
    until: new Date(until).toISOString(),
  })
  await paidAgain(seller)

  // The key of the other seller is withdrawn by removing it, after its last call.
  await bystander.stop()
  await paidAgain(seller)
  await change(world, ending, made.entry)
  const withdrawnAt = Date.now()
  expect(await world.ask(OTHER)).toEqual(bothAre('401 /usage needs a valid API key'))
  await paidAgain(seller)
  await seller.stop()

  const calls = [...seller.calls, ...bystander.calls]
  const isRefused = ({ status, answer }: Call) => status !== 200 || typeof answer !== 'string'
  expect(calls.filter(isRefused)).toEqual([])
  expect(await processOf(world)).toEqual(before)

  // A replica that stops notes the last uses: then the list is exact.
  for (const { child } of world.replicas) child.kill('SIGTERM')
  const ended = () => world.replicas.map(({ child }) => child.exitCode)
  await expect.poll(ended, patience).toEqual([0, 0])
  const listed = await list(world)
  const lastUseOf = (key: string) => Date.parse(listed(key).lastUsedAt)
  const lastCall = ({ calls }: Seller) => calls.at(-1)?.sentAt ?? Number.POSITIVE_INFINITY
  expect(lastUseOf(NEW)).toBeGreaterThanOrEqual(lastCall(seller))
  expect(listed(NEW)).toMatchObject({ state: 'valid', from: null, until: null })
  // A request with the key that has ended shows; one with the key that was removed does not.
  expect(lastUseOf(OLD)).toBeGreaterThanOrEqual(until)
  expect(lastUseOf(OTHER)).toBeGreaterThanOrEqual(lastCall(bystander))
  expect(lastUseOf(OTHER)).toBeLessThan(withdrawnAt)
  expect(listed(OTHER)).toMatchObject({ name: 'other', state: 'notConfigured' })
})
