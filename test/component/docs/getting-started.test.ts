import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CloneCopy, cloneCopy } from '../../support/clone-copy.ts'
import { freePort } from '../../support/free-port.ts'
import { Terminal } from '../../support/terminal.ts'
import { readPage } from './typed-page.ts'

/*
 * Types every command of the page in its order, in a clone of its own; only ports are changed, and the
 * addresses of testnet.
 */

const page = readPage('docs/getting-started.md')

interface Block {
  readonly language: string
  readonly text: string
}

/** The fenced blocks under the heading that starts with a number. */
function blocksOf(section: number): Block[] {
  const [, text = ''] = page.split(new RegExp(`^## ${section}\\. `, 'm'))
  const own = text.split(/^## /m)[0] ?? ''
  return [...own.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }))
}

const shell = (section: number): string[] =>
  blocksOf(section).flatMap(({ language, text }) => (language === 'sh' ? [text] : []))
const program = (section: number): string =>
  blocksOf(section).find(({ language }) => language === 'js')?.text ?? ''

/** What differs from the page, because other tests run on this machine too. */
type Changes = readonly (readonly [from: string, to: string])[]

const changed = (text: string, changes: Changes): string =>
  changes.reduce((typed, [from, to]) => typed.replaceAll(from, to), text)

/** Ports for the parts, and the changes of the page that they need. */
async function otherPorts() {
  const [api, facilitator, network, networkTls, seller] = await Promise.all(
    [1, 2, 3, 4, 5].map(freePort),
  )
  const flags = `--port ${api} --facilitator-port ${facilitator} --explorer-port 0 --network-port ${network} --network-tls-port ${networkTls}`
  const changes: Changes = [
    ['make run', `make run ARGS='${flags}'`],
    [':4021', `:${api}`],
    ['/4021.', `/${api}.`],
    [':8080', `:${facilitator}`],
    [':8000', `:${network}`],
    [':8443', `:${networkTls}`],
    ['4022', String(seller)],
    [
      'localnet --tls',
      `localnet --tls --port ${network} --tls-port ${networkTls} --close-every 1s`,
    ],
    ['STORE=memory', `PORT=${facilitator} ADMIN_PORT=0 EXPLORER_PORT=0 STORE=memory`],
    // What follows stands for testnet.
    ['https://soroban-testnet.stellar.org', `http://127.0.0.1:${network}`],
    ['https://friendbot.stellar.org/', `http://127.0.0.1:${network}/friendbot`],
  ]
  return { changes, networkTls }
}

/** Types blocks into one terminal and waits for their end. @returns the output */
async function type({ folder }: CloneCopy, changes: Changes, ...blocks: string[]): Promise<string> {
  await using terminal = new Terminal(folder, changed(blocks.join('\n'), changes))
  const { code, output } = await terminal.ended
  expect(code, output).toBe(0)
  return output
}

test('sections 1 to 3: see it work, pay and sell with programs of your own', {
  timeout: 240_000,
}, async () => {
  await using clone = await cloneCopy()
  const { changes } = await otherPorts()
  const [start = '', look = ''] = shell(1)
  await using demo = new Terminal(clone.folder, changed(start, changes))
  await demo.printed(/Ctrl-C stops everything/)

  const looked = await type(clone, changes, look)
  expect(looked).toContain('402 Payment Required')
  expect(looked).toContain('"scheme":"exact"')
  expect(looked).toMatch(/transaction +[0-9a-f]{64}/)
  expect(looked).toContain('"network":"stellar:testnet","ok":true')
  expect(looked).toMatch(/"check":".*"status":"ok"/)

  const save = (name: string, section: number) =>
    writeFileSync(join(clone.folder, 'playground', name), changed(program(section), changes))
  const [enter = '', ...pay] = shell(2)
  await type(clone, changes, enter)
  save('client.mjs', 2)
  expect(await type(clone, changes, enter, ...pay)).toContain('200 {"weather":"sunny"')

  save('server.mjs', 3)
  expect(await type(clone, changes, enter, ...pay, ...shell(3))).toContain('200 {"joke"')

  demo.pressCtrlC()
  expect((await demo.ended).output).toContain('Stopping.')
})

test('sections 4 and 5: run the parts by hand, with a sponsor of your own', {
  timeout: 240_000,
}, async () => {
  await using clone = await cloneCopy()
  const { changes } = await otherPorts()
  const [network = '', serve = '', look = ''] = shell(4)
  await using localnet = new Terminal(clone.folder, changed(network, changes))
  await localnet.printed(/"ready":true/)
  expect(localnet.output).toContain(`${clone.folder}/.svc/demo/localnet-ca.pem`)

  for (const start of [serve, ...shell(5)]) {
    await using service = new Terminal(clone.folder, changed(start, changes))
    await service.printed(/listening/i)
    const supported = await type(clone, changes, look)
    expect(JSON.parse(supported.slice(supported.indexOf('{"kinds"')))).toMatchObject({
      signers: expect.anything(),
    })
  }
})

test('the programs of the reader lie where git and make check do not look', () => {
  expect(readPage('.gitignore').split('\n')).toContain('playground/')
  expect(JSON.parse(readPage('biome.json')).vcs.useIgnoreFile).toBe(true)
  const folders = ['src', 'test', 'tools', 'examples', '*.ts']
  expect(JSON.parse(readPage('tsconfig.json')).include).toEqual(folders)
  expect(JSON.parse(readPage('package.json')).knip.project).toEqual(['{src,test,tools}/**/*.ts'])
})
