import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import {
  linesOfSettings,
  type SponsorElsewhere,
  sponsorElsewhere,
  variablesOf,
} from '../../../../support/sponsor-elsewhere.ts'
import { paidBy, stroopsOf } from '../../../../support/sponsors.ts'
import {
  configOf,
  openFolder,
  type Sidecar,
  startSidecar,
} from '../../../signing/sidecar-process.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  network,
  newSponsor,
  onLedger,
  openAdminWorld,
  type Sponsor,
  storedStates,
  XLM,
} from '../../admin-world.ts'
import { runHere } from '../../run-here.ts'
import { serveOnly } from './serve-only.ts'

const CHANNELS = 2

let world: AdminWorld
let folder: string
beforeAll(async () => {
  world = await openAdminWorld()
  folder = mkdtempSync(join(tmpdir(), 'svc-rotate-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await world[Symbol.asyncDispose]()
})

let files = 0
const fileWith = (content: string): string => {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, content)
  return path
}

const rotate = (to: string, ...args: readonly string[]) => [
  'rotate',
  '--network',
  network,
  '--to',
  to,
  ...args,
]

const env = (sponsor: SponsorElsewhere) => world.env(sponsor, variablesOf(sponsor))

/** A sponsor behind a sidecar of its own, which lets XLM go to the `recipients`. */
async function openInSidecar(opened: AsyncDisposableStack) {
  const seed = randomBytes(32)
  const place = opened.use(await openFolder(seed))
  const socketPath = place.path('signer.sock')
  const sponsor = sponsorElsewhere(`unix:${socketPath}`, signerFromSeed(seed).address)
  let running: Sidecar | undefined
  opened.defer(async () => running?.[Symbol.asyncDispose]())
  const start = async (recipients: readonly Sponsor[]) => {
    await running?.stop('SIGTERM')
    const policy = {
      recipients: recipients.map(({ address }) => address),
      dataEntries: ['x402.svc.dev/store'],
    }
    running = await startSidecar(place, configOf(place, { socketPath }, policy))
  }
  return { sponsor, start }
}

/** Two sponsors behind sidecars, of which the first has channels and the second is served. */
async function openPair(opened: AsyncDisposableStack) {
  const [old, young] = [await openInSidecar(opened), await openInSidecar(opened)]
  for (const { sponsor } of [old, young]) await world.fund(sponsor, 50n * XLM)
  await old.start([])
  await young.start([old.sponsor])
  expect(await runHere(env(old.sponsor), 'provision')).toMatchObject({ code: 0 })
  await serveOnly(world.store, young.sponsor)
  const since = world.ledgers.latest.sequence
  const accounts = { sponsors: [old.sponsor, young.sponsor], channels: CHANNELS }
  return {
    old,
    young,
    to: fileWith(linesOfSettings(young.sponsor.settings)),
    total: () => stroopsOf(world.ledgers, since, accounts),
    sent: () => paidBy(world.ledgers, since, accounts).length,
  }
}

const refusal = (old: Sponsor, young: Sponsor) =>
  `${old.address} is merged into ${young.address}, which is no recipient`

async function expectMoved(
  { sponsor: old }: { sponsor: Sponsor },
  { sponsor: young }: { sponsor: Sponsor },
) {
  expect(onLedger(world, old.address)).toBeUndefined()
  expect(channelsOnLedger(world, old, CHANNELS)).toBe(0)
  expect(await storedStates(world, old)).toEqual(['retired'])
  expect(channelsOnLedger(world, young, CHANNELS)).toBe(CHANNELS)
  expect(await storedStates(world, young)).toEqual(['active'])
}

test('between two sidecars whose recipients name each other a rotation is signed', {
  timeout: 240_000,
}, async () => {
  await using opened = new AsyncDisposableStack()
  const { old, young, to, total } = await openPair(opened)
  await old.start([young.sponsor])
  const before = total()
  const planned = await runHere(env(old.sponsor), ...rotate(to, '--dry-run'))
  expect(planned).toMatchObject({
    code: 0,
    lines: [
      {
        ok: true,
        dryRun: true,
        from: old.sponsor.address,
        to: young.sponsor.address,
        create: CHANNELS,
        merge: CHANNELS,
      },
    ],
  })
  const done = await runHere(env(old.sponsor), ...rotate(to))
  expect(done).toMatchObject({ code: 0, lines: [{ merged: CHANNELS, leftXlm: null }] })
  await expectMoved(old, young)
  expect(total()).toBe(before)
})

test.each(['planned', 'emergency'] as const)(
  'a %s rotation to a sponsor that the sidecar does not name is refused, moves no XLM, and goes on once it does',
  { timeout: 240_000 },
  async (mode) => {
    await using opened = new AsyncDisposableStack()
    const { old, young, to, total, sent } = await openPair(opened)
    const before = total()
    const balance = () => onLedger(world, young.sponsor.address)?.balance ?? -1n
    const had = balance()
    const args = rotate(to, '--mode', mode)
    const refused = await runHere(env(old.sponsor), ...args)
    expect(refused).toMatchObject({ code: 1, lines: [{ ok: false }] })
    const [problem] = refused.lines[0].problems
    expect(problem).toContain('The signer refused to sign: ')
    expect(problem).toContain(
      mode === 'planned'
        ? refusal(old.sponsor, young.sponsor)
        : `${young.sponsor.address} is no recipient`,
    )
    // What its channels had locked is with the old sponsor again, and the new one has paid its own fees alone.
    expect(onLedger(world, old.sponsor.address)).toBeDefined()
    expect(balance()).toBeLessThanOrEqual(had)
    expect(total()).toBe(before)
    if (mode === 'emergency') expect(sent()).toBe(0)
    await old.start([young.sponsor])
    expect(await runHere(env(old.sponsor), ...args)).toMatchObject({ code: 0 })
    await expectMoved(old, young)
    expect(total()).toBe(before)
  },
)

test('says what is wrong with a file that names a sponsor elsewhere, and prints no secret', async () => {
  const [old, young, channels] = [newSponsor(), newSponsor(), newSponsor()]
  const good = {
    SPONSOR_SIGNER: 'unix:/run/signer.sock',
    SPONSOR_ADDRESS: young.address,
    CHANNEL_SECRET: channels.secret,
  }
  const { SPONSOR_ADDRESS: _, ...withoutAddress } = good
  const { CHANNEL_SECRET: __, ...withoutChannels } = good
  const cases = [
    [
      linesOfSettings({ ...good, PORT: '1' }),
      'the file has a line that is no setting of a sponsor',
    ],
    [`${linesOfSettings(good)}S`, 'the file has a line that is no setting of a sponsor'],
    [
      linesOfSettings(withoutAddress),
      'in the file SPONSOR_ADDRESS is required with SPONSOR_SIGNER',
    ],
    [
      linesOfSettings(withoutChannels),
      'in the file CHANNEL_SECRET is required with SPONSOR_SIGNER',
    ],
    [
      linesOfSettings({ ...good, SPONSOR_SECRET: young.secret }),
      'in the file SPONSOR_SECRET must not be set beside SPONSOR_SIGNER',
    ],
    [
      linesOfSettings({ ...good, SPONSOR_SIGNER: 'ftp://signer' }),
      'in the file SPONSOR_SIGNER must be a URI that begins with pkcs11:, vault+https://, https:// or unix:',
    ],
    [
      linesOfSettings({ ...good, CHANNEL_SECRET: `${channels.secret}x` }),
      'in the file CHANNEL_SECRET must be a secret seed (S...)',
    ],
  ] as const
  for (const [content, says] of cases) {
    const refused = await runHere(world.env(old), ...rotate(fileWith(content)))
    expect(refused.err).toContain(`--to: ${says}`)
    expect(refused).toMatchObject({ code: 64, lines: [] })
    for (const { secret } of [young, channels]) expect(refused.err).not.toContain(secret)
  }
})

test('a line of the file may name a file in turn, and comments and blank lines are none', {
  timeout: 240_000,
}, async () => {
  const [old, young] = (await world.funded(2, 50n * XLM)) as [Sponsor, Sponsor]
  const channels = newSponsor()
  expect(await runHere(world.env(old), 'provision')).toMatchObject({ code: 0 })
  const to = fileWith(
    `# the new sponsor\n\nSPONSOR_SIGNER=unix:/run/signer.sock\nSPONSOR_ADDRESS=${young.address}\nCHANNEL_SECRET_FILE=${fileWith(channels.secret)}\n`,
  )
  const planned = await runHere(world.env(old), ...rotate(to, '--dry-run'))
  expect(planned).toMatchObject({ code: 0, lines: [{ to: young.address, create: CHANNELS }] })
})
