import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { addressOf } from '../../../../../src/stellar/accounts/strkey.ts'
import { openWallet } from '../../../../support/payments.ts'
import { noSoftHsm } from '../../../../support/softhsm/no-softhsm.ts'
import { startToken } from '../../../../support/softhsm/start-token.ts'
import {
  linesOfSettings,
  sponsorElsewhere,
  uriOf,
  variablesOf,
} from '../../../../support/sponsor-elsewhere.ts'
import { paidBy, stroopsOf } from '../../../../support/sponsors.ts'
import { payConstantly, type Settling } from '../../../payments/pay-constantly.ts'
import {
  channelsOnLedger,
  network,
  newSponsor,
  onLedger,
  openAdminWorld,
  type Sponsor,
  SvcProcess,
  storedStates,
  type Variables,
  XLM,
} from '../../admin-world.ts'

const CHANNELS = 3
const REPLICAS = [0, 1]

const missing = await noSoftHsm()
beforeEach(({ skip }) => {
  if (missing !== undefined) skip(missing)
})

/** `svc serve` as a process. */
class Replica implements Settling, Disposable {
  readonly #process: SvcProcess
  #url: string | undefined

  constructor(env: Variables) {
    this.#process = new SvcProcess(env, 'serve')
  }

  async listens(): Promise<void> {
    const [, url] = await this.#process.printed(/"url":"([^"]+)".*Service is listening/)
    this.#url = url
  }

  post: Settling['post'] = async (path, body) => {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { body: (await response.json()) as { success?: boolean; errorReason?: string } }
  }

  async stop(): Promise<void> {
    expect(await this.#process.end('SIGTERM')).toBe(0)
  }

  [Symbol.dispose](): void {
    this.#process[Symbol.dispose]()
  }
}

test('a sponsor moves from a seed into a token and out of it, while every payment is made, and once', {
  timeout: 480_000,
}, async () => {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openAdminWorld({}, 500))
  // Its ledgers close at their time alone.
  world.ledgers.isHeld = true
  const token = opened.use(await startToken())
  const folder = mkdtempSync(join(tmpdir(), 'svc-rotate-'))
  opened.defer(() => rmSync(folder, { recursive: true }))
  const inToken = sponsorElsewhere(uriOf(token.place), addressOf(token.publicKey))
  const [first, last] = [newSponsor(), newSponsor()]
  const sponsors = [first, inToken, last]
  for (const each of sponsors) await world.fund(each, 100n * XLM)

  const env = (sponsor: Sponsor) =>
    world.env(sponsor, {
      ...token.environment,
      CHANNEL_COUNT: String(CHANNELS),
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      EXPLORER_ENABLED: 'false',
      ...(sponsor === inToken && variablesOf(inToken)),
    })
  const fileOf = (sponsor: Sponsor) => {
    const path = join(folder, sponsor.address)
    writeFileSync(path, sponsor === inToken ? linesOfSettings(inToken.settings) : sponsor.secret)
    return path
  }
  const start = async (sponsor: Sponsor) => {
    const replica = opened.use(new Replica(env(sponsor)))
    await replica.listens()
    return replica
  }

  const since = world.ledgers.latest.sequence
  const accounts = { sponsors, channels: CHANNELS }
  const stroops = () => stroopsOf(world.ledgers, since, accounts)
  const before = stroops()
  const serving: Replica[] = []
  for (const _ of REPLICAS) serving.push(await start(first))
  const seller = await openWallet(world.localnet, 1n)
  // As many as one sponsor has channels: none has to wait.
  const payers = await Promise.all(
    Array.from({ length: CHANNELS }, () => openWallet(world.localnet)),
  )
  const ledger = world.ledgers.latest.sequence
  await using load = payConstantly(world.localnet, serving, { payers, seller })
  await load.more(CHANNELS)

  const rotate = async (from: Sponsor, to: Sponsor) => {
    const args = ['rotate', '--network', network, '--to', fileOf(to)]
    using rotating = new SvcProcess(env(from), ...args)
    await rotating.printed(/still serves? the other sponsor/)
    for (const place of REPLICAS) {
      const [replaced] = serving.splice(place, 1, await start(to))
      await load.more(CHANNELS)
      await replaced?.stop()
    }
    const { code } = await rotating.ended
    expect(rotating.output).toContain(`"merged":${CHANNELS},"gone":0`)
    expect(code).toBe(0)
    await load.more(CHANNELS)
    expect(onLedger(world, from.address)).toBeUndefined()
    expect(channelsOnLedger(world, from, CHANNELS)).toBe(0)
    expect(await storedStates(world, from)).toEqual(['retired'])
    expect(channelsOnLedger(world, to, CHANNELS)).toBe(CHANNELS)
    expect(await storedStates(world, to)).toEqual(['active'])
  }
  await rotate(first, inToken)
  await rotate(inToken, last)
  await load.stop()
  for (const replica of serving) await replica.stop()

  load.expectEachPaidOnce(ledger)
  expect(stroops()).toBe(before)
  const fees = paidBy(world.ledgers, since, accounts).reduce((sum, { fee }) => sum + fee, 0n)
  expect(onLedger(world, last.address)?.balance).toBe(before - fees)
})
