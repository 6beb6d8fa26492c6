/** Commands of administrators that are killed at their envelopes, and run again. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  newSponsor,
  onLedger,
  openAdminWorld,
  type Sponsor,
  SvcProcess,
  storedStates,
  until,
  XLM,
} from '../admin-world.ts'
import { runHere } from '../run-here.ts'

/** So many channels take three envelopes. */
export const COUNT = 41
const FEE = 100n

/** Both commands, in a world of their own with another sponsor for each test. */
export class KilledAdmin {
  world!: AdminWorld
  sponsor!: Sponsor

  /** Registers the hooks of a file. */
  static open(): KilledAdmin {
    const admin = new KilledAdmin()
    beforeAll(async () => {
      admin.world = await openAdminWorld()
    })
    afterAll(() => admin.world[Symbol.asyncDispose]())
    beforeEach(async () => {
      admin.world.ledgers.isHeld = false
      admin.sponsor = newSponsor()
      await admin.world.fund(admin.sponsor, 100n * XLM)
    })
    return admin
  }

  start(command: string, changes = {}): SvcProcess {
    const env = this.world.env(this.sponsor, { CHANNEL_COUNT: String(COUNT), ...changes })
    return new SvcProcess(env, command)
  }

  /** Runs it to its end, in this process. */
  run(command: string) {
    return runHere(this.world.env(this.sponsor, { CHANNEL_COUNT: String(COUNT) }), command)
  }

  /** Kills the command once it has sent its next envelope, before any ledger has it. */
  async killAfterSending(command: string, sent: number): Promise<void> {
    const { ledgers, localnet } = this.world
    ledgers.isHeld = true
    const before = ledgers.taken.length
    using process = this.start(command)
    for (let envelope = 1; envelope <= sent; envelope += 1) {
      await until(() => ledgers.taken.length - before, envelope)
      if (envelope < sent) await localnet.closeLedger()
    }
    expect(await process.end('SIGKILL')).toBeNull()
  }

  /** Kills the command before its next envelope reaches the network. */
  async killBeforeSending(command: string): Promise<void> {
    await using proxy = await startRpcProxy()
    proxy.fail('sendTransaction', { kind: 'hang' })
    const TESTNET_RPC_URL = proxy.forwardTo(this.world.localnet.httpUrl)
    using process = this.start(command, { TESTNET_RPC_URL })
    await until(() => proxy.count('sendTransaction') > 0, true)
    expect(await process.end('SIGKILL')).toBeNull()
  }

  /** Closes the ledger with what the killed command has sent; later ones close by themselves. */
  async landSent(): Promise<void> {
    await this.world.localnet.closeLedger()
    this.world.ledgers.isHeld = false
  }

  get channels(): number {
    return channelsOnLedger(this.world, this.sponsor, COUNT)
  }

  /** What the store has. */
  get states() {
    return storedStates(this.world, this.sponsor)
  }

  get account() {
    return onLedger(this.world, this.sponsor.address)
  }
}

/** After a provision of all channels and a retire of them: their fees are gone, and nothing else. */
export const allReturned = { balance: 100n * XLM - BigInt(COUNT) * 4n * FEE, sponsoring: 0 }

/** `svc provision`, killed after so many envelopes, continues where it was. */
export async function provisionContinues(admin: KilledAdmin, sent: number): Promise<void> {
  await admin.killAfterSending('provision', sent)
  expect(admin.channels).toBe(18 * (sent - 1))
  await admin.landSent()

  const created = COUNT - Math.min(COUNT, 18 * sent)
  expect(await admin.run('provision')).toMatchObject({
    code: 0,
    lines: [{ channels: COUNT, created }],
  })
  expect(admin.channels).toBe(COUNT)
  expect(admin.account).toEqual({
    balance: 100n * XLM - BigInt(COUNT) * 3n * FEE,
    sponsoring: 2 * COUNT,
  })
  expect(await admin.states).toEqual(['active'])
}

/** `svc retire`, killed after so many envelopes, continues where it was. */
export async function retireContinues(admin: KilledAdmin, sent: number): Promise<void> {
  expect(await admin.run('provision')).toMatchObject({ code: 0 })
  await admin.killAfterSending('retire', sent)
  expect(await admin.states).not.toContain('active')
  await admin.landSent()

  const merged = COUNT - Math.min(COUNT, 18 * sent)
  expect(await admin.run('retire')).toMatchObject({
    code: 0,
    lines: [{ merged, stillSponsoring: 0 }],
  })
  expect(admin.channels).toBe(0)
  expect(admin.account).toEqual(allReturned)
  expect(await admin.states).toEqual(['retired'])
}
