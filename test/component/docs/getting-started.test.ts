import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloneCopy } from '../../support/clone-copy.ts'
import { freePort } from '../../support/free-port.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { Terminal } from '../../support/terminal.ts'
import { type Changes, changed, typeBlocks } from './page-demo.ts'
import { shell } from './typed-getting-started.ts'
import { readPage } from './typed-page.ts'

/*
 * The rest of the page, in a clone of its own, which starts the sources; only ports are changed, and the addresses of testnet.
 */

/** Ports for the parts, and the changes of the page that they need. */
async function otherPorts(): Promise<Changes> {
  const [facilitator, network, networkTls] = await Promise.all([1, 2, 3].map(freePort))
  return [
    [':8080', `:${facilitator}`],
    [':8000', `:${network}`],
    [
      'localnet --tls',
      `localnet --tls --port ${network} --tls-port ${networkTls} --close-every 1s`,
    ],
    ['TESTNET_RPC_URL', `PORT=${facilitator} ADMIN_PORT=0 EXPLORER_PORT=0 TESTNET_RPC_URL`],
    // What follows stands for testnet.
    ['https://soroban-testnet.stellar.org', `http://127.0.0.1:${network}`],
    ['https://friendbot.stellar.org/', `http://127.0.0.1:${network}/friendbot`],
  ]
}

test('sections 4 and 5: run the parts by hand, with a sponsor of your own and the certificate of the demo', {
  timeout: 240_000,
}, async () => {
  await using clone = await cloneCopy()
  const changes = await otherPorts()
  const [network = '', serve = '', look = ''] = shell(4)
  const authority = join(clone.folder, '.svc/demo/localnet-ca.pem')
  await using localnet = new Terminal(clone.folder, changed(network, changes))
  await localnet.printed(/"ready":true/)
  expect(localnet.output).toContain(authority)
  const certificate = await readFile(authority, 'utf8')

  // The start in section 4 keeps the store in memory; in the others the run's Postgres stands for it, which starts much faster.
  await using database = await freshDatabase()
  const stored = [['STORE=memory', `DATABASE_URL='${database.url}'`]] as const
  const onTestnet = shell(5).map((start) => changed(start, stored))
  for (const start of [serve, ...onTestnet]) {
    await using service = new Terminal(clone.folder, changed(start, changes))
    await service.printed(/listening/i)
    const supported = await typeBlocks(clone, changes, look)
    expect(JSON.parse(supported.slice(supported.indexOf('{"kinds"')))).toMatchObject({
      signers: expect.anything(),
    })
  }

  // make demo passes flags.
  await using demo = new Terminal(
    clone.folder,
    `make demo ARGS='--store memory --close-every 1200ms'`,
  )
  const { code, output } = await demo.ended
  expect(code, output).toBe(0)
  expect(output).toContain('a ledger every 1.2 s')
  expect(output).not.toContain('Postgres')
  expect(await readFile(authority, 'utf8')).toBe(certificate)
})

test('the programs of the reader lie where git and make check do not look', () => {
  expect(readPage('.gitignore').split('\n')).toContain('playground/')
  expect(JSON.parse(readPage('biome.json')).vcs.useIgnoreFile).toBe(true)
  const folders = ['src', 'test', 'tools', 'examples', '*.ts']
  expect(JSON.parse(readPage('tsconfig.json')).include).toEqual(folders)
  expect(JSON.parse(readPage('package.json')).knip.project).toEqual(['{src,test,tools}/**/*.ts'])
})
