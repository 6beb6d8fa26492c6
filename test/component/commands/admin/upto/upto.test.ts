/** `svc upto` on a network without a settlement contract, with a store that is empty at first. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usdcContracts } from '../../../../../src/platform/core/caip2.ts'
import { contractInstanceKey } from '../../../../../src/stellar/contracts/contract-ttl.ts'
import { archive, setTtl, ttlOf } from '../../../../support/ledger-surgery.ts'
import {
  type AdminWorld,
  network,
  newSponsor,
  onLedger,
  openAdminWorld,
  run,
  SvcProcess,
  until,
  XLM,
} from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'

const sponsor = newSponsor()
let world: AdminWorld
let contract = ''
let instance: Uint8Array
beforeAll(async () => {
  world = await openAdminWorld({ upto: false })
  await world.fund(sponsor, 100n * XLM)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const env = () => world.env(sponsor, { TESTNET_UPTO_CONTRACT: contract || undefined })
const svc = (...args: string[]) => runHere(env(), 'upto', ...args)
const balance = () => onLedger(world, sponsor.address)?.balance ?? 0n
const stroops = (xlm: string) => BigInt(Math.round(Number(xlm) * 10_000_000))

/** Kills a command once the network has taken its next transaction; then a ledger includes that. */
async function killAfterSending(action: string): Promise<string> {
  world.ledgers.isHeld = true
  const before = world.ledgers.taken.length
  using process = new SvcProcess(env(), 'upto', action)
  await until(() => world.ledgers.taken.length - before, 1)
  await process.end('SIGKILL')
  await sql`update upto_keepers set lease_expires_at = clock_timestamp()`.execute(world.store.db)
  await world.localnet.closeLedger()
  world.ledgers.isHeld = false
  return process.output
}

test('deploy says what it would cost, goes on after a crash, and names the variable to set', async () => {
  const dry = await svc('deploy', '--dry-run')
  expect(dry).toMatchObject({ code: 0, lines: [{ dryRun: true, next: 'upload', created: false }] })
  const { contract: planned, maxFeeXlm } = dry.lines[0]
  const before = balance()
  expect(before).toBe(100n * XLM)

  const shown = await killAfterSending('deploy')
  expect(shown).toContain(`svc upto deploy: ${network}\n`)
  expect(shown).toMatch(/upload {6}the code, \d+ bytes: at most 0\.\d+ XLM/)
  expect(shown).toContain(`fee         at most ${maxFeeXlm} XLM, paid by the sponsor`)

  const deployed = await run(env(), 'upto', 'deploy')
  contract = planned
  instance = Buffer.from(contractInstanceKey(contract), 'base64')
  const setting = `TESTNET_UPTO_CONTRACT=${contract}`
  expect(deployed).toMatchObject({
    code: 0,
    lines: [
      { network, ok: true, contract, created: true, setting, transactions: [{ action: 'create' }] },
    ],
  })
  const paid = before - balance()
  expect(paid).toBeLessThanOrEqual(stroops(maxFeeXlm))

  expect(await svc('deploy')).toMatchObject({
    code: 0,
    lines: [{ contract, created: false, transactions: [] }],
    err: expect.stringContaining('the contract was there before: nothing to do'),
  })
  expect(before - balance()).toBe(paid)
})

test('extend extends to the target; status shows the contract and its keeper', async () => {
  const env = { TESTNET_UPTO_CONTRACT: contract, UPTO_TTL_TARGET_LEDGERS: '300000' }
  setTtl(world.ledgers, instance, 1_234)
  const before = balance()
  const extended = await runHere(world.env(sponsor, env), 'upto', 'extend')
  expect(extended.err).toMatch(/extend {6}instance and code to 300000 ledgers; instance has 1234/)
  expect(extended).toMatchObject({
    code: 0,
    lines: [{ contract, instanceTtlLedgers: 300_000, codeTtlLedgers: 300_000 }],
  })
  const { transaction, feeXlm, maxFeeXlm } = extended.lines[0]
  expect(extended.err).toContain(`fee         at most ${maxFeeXlm} XLM`)
  expect(world.ledgers.taken.at(-1)).toBe(transaction)
  expect(balance()).toBe(before - stroops(feeXlm))
  const status = await runHere(world.env(sponsor, env), 'upto', 'status', '--human')
  expect(status.code).toBe(0)
  expect(status.out).toContain('the code of this version')
  expect(status.out).toMatch(/instance +300000 ledgers left, until about \d{4}-\d\d-\d\d/)
  expect(status.out).toMatch(new RegExp(`last action +extend at .*Z, transaction ${transaction}`))
})

test('restore restores what is archived; without a contract, the commands say what to set', async () => {
  archive(world.ledgers, instance)
  const token = { TESTNET_UPTO_CONTRACT: usdcContracts[network] }
  const refused = await svc('extend')
  const status = await svc('status')
  const unset = await runHere(world.env(sponsor), 'upto', 'extend')
  const wrong = await runHere(world.env(sponsor, token), 'upto', 'status')
  const other = await runHere(world.env(sponsor, token), 'upto', 'deploy', '--dry-run')
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('has archived instance of C'),
  })
  expect(status).toMatchObject({
    code: 1,
    lines: [{ ok: false, instanceTtlLedgers: -1, isShippedWasm: true }],
    err: expect.stringContaining('svc upto restore restores it'),
  })
  expect(await svc('restore')).toMatchObject({
    code: 0,
    lines: [{ action: 'restore', instanceTtlLedgers: 120_959 }],
  })
  expect(unset).toMatchObject({
    code: 1,
    err: expect.stringContaining('TESTNET_UPTO_CONTRACT is not set: svc upto deploy'),
  })
  expect(wrong).toMatchObject({
    code: 1,
    err: expect.stringContaining('runs no Wasm code: correct TESTNET_UPTO_CONTRACT'),
  })
  expect(other.err).toContain(`TESTNET_UPTO_CONTRACT is ${usdcContracts[network]} now: once`)
})

test('a command that is killed after it has sent leaves nothing undone and pays nothing twice', async () => {
  setTtl(world.ledgers, instance, 500)
  const before = world.ledgers.taken.length
  await killAfterSending('extend')
  const again = await svc('extend')
  expect(again).toMatchObject({
    code: 0,
    lines: [{ transaction: null }],
    err: expect.stringContaining('ledgers left, and the target is 518400'),
  })
  expect(world.ledgers.taken.length - before).toBe(1)
  expect(ttlOf(world.ledgers, instance)).toBe(518_400)
  const rows = await world.store.db.selectFrom('upto_keeper_transactions').select('state').execute()
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['succeeded']))
})
