import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cloneCopy } from '../../support/clone-copy.ts'
import { Terminal } from '../../support/terminal.ts'
import { readPage, root } from './typed-page.ts'

/* The commands of the README and of the guide that `make run` prints, as a new user types them. */

const readme = readPage('README.md')

/** The block that shows the output of `make run`. */
const shown = /```text\n(x402 payments on[\s\S]*?)```/.exec(readme)?.[1] ?? ''

const variableParts: readonly (readonly [RegExp, string])[] = [
  // Only in a demo beside other programs.
  [/Other programs have[\s\S]*?\n\n/, ''],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
  [/(CA file +|NODE_EXTRA_CA_CERTS=)\S.*/g, '$1PATH'],
  [/\bG[A-Z2-7]{55}\b/g, 'ADDRESS'],
  [/\bG[A-Z2-7]{3}…[A-Z2-7]{4}\b/g, 'G…'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/ +\d+(\.\d)? m?s$/gm, ' TIME'],
  [/ +[\d.]+ XLM/g, ' AMOUNT XLM'],
  [/\([\d,]+ stroops\)/g, '(FEE stroops)'],
  [/(ledger +)\d+$/gm, '$1NUMBER'],
]

/** The text without what differs between two runs. */
function normalised(text: string): string {
  const same = variableParts.reduce(
    (all, [pattern, name]) => all.replaceAll(globalOf(pattern), name),
    text,
  )
  // Two steps run at the same time, and either may end first.
  const steps = same.match(/^ {2}✓.*\n/gm) ?? []
  return same.replace(steps.join(''), steps.toSorted().join(''))
}

const globalOf = ({ source, flags }: RegExp): RegExp =>
  new RegExp(source, flags.includes('g') ? flags : `${flags}g`)

const USUAL_PORTS = [4021, 8080, 8081, 8000, 8443]

/** Takes the usual ports of the demo until the test ends. @returns those that were free */
async function takeUsualPorts(): Promise<number[]> {
  const servers = await Promise.all(USUAL_PORTS.map(listening))
  return servers.flatMap((server) => (server ? [(server.address() as AddressInfo).port] : []))
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return undefined
  }
  onTestFinished(() => {
    server.close()
  })
  return server
}

/** The commands that the guide prints under the line that starts so. */
function commandUnder(guide: string, title: string): string {
  const [, after = ''] = guide.split(`  ${title}`)
  const lines = after.split('\n').slice(1)
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('    ')),
    )
    .join('\n')
}

test('make run prints what the README shows, beside programs on its usual ports, and its commands work', {
  timeout: 240_000,
}, async () => {
  await using clone = await cloneCopy()
  const taken = await takeUsualPorts()
  await using demo = new Terminal(clone.folder, 'make run')
  await demo.printed(/Ctrl-C stops everything/)

  expect(normalised(demo.output)).toBe(normalised(shown))
  const guide = demo.output.slice(demo.output.indexOf('Running now'))
  for (const port of taken) {
    expect(demo.output).toContain(`, as ${port} is taken\n`)
    expect(guide).not.toContain(`:${port}`)
  }
  // Of a terminal.
  const long = shown.split('\n').filter((line) => line.length > 80)
  expect(long).toEqual([])

  const typed = async (text: string) => {
    await using terminal = new Terminal(clone.folder, text)
    const { code, output } = await terminal.ended
    expect(code, output).toBe(0)
    return output
  }
  const [ask = '', ...decode] = commandUnder(guide, 'See the price').split('\n')
  expect(await typed(ask)).toContain('402 Payment Required')
  // What base64 says of an input that it does not accept would stand among the output.
  expect(JSON.parse(await typed(decode.join('\n')))).toMatchObject({ x402Version: 2 })
  expect(await typed(commandUnder(guide, 'Pay again'))).toMatch(/9\.9852 USDC {2}→ {2}9\.9752 USDC/)
  const used = await typed(commandUnder(guide, 'Pay for what an answer uses'))
  expect(used).toMatch(/ceiling +0\.02 USDC[\s\S]*paid +0\.0093 USDC/)
  const state = await typed(commandUnder(guide, 'See the sponsor'))
  expect(state).toContain('"ok":true')
  expect(state).toContain(/facilitator +(http\S+)\/supported/.exec(guide)?.[1])
  expect(await typed(commandUnder(guide, 'Ask the catalog'))).toContain('/weather"')
  const trust = commandUnder(guide, 'Let a stock client')
  const rpc = /over https +(\S+)/.exec(guide)?.[1] ?? ''
  const health = `{"jsonrpc":"2.0","id":1,"method":"getHealth"}`
  const request = `fetch("${rpc}", { method: "POST", body: JSON.stringify(${health}) })`
  expect(
    await typed(`${trust}\nnode -e '${request}.then((it) => it.text()).then(console.log)'`),
  ).toContain('healthy')

  demo.pressCtrlC()
  await demo.ended
  expect(demo.output).not.toMatch(/^\s+at /m)
})

test('the certificate is the same at the next start, and make demo passes flags', {
  timeout: 240_000,
}, async () => {
  await using clone = await cloneCopy()
  const certificates: string[] = []
  for (const flags of [
    '--store memory --close-every 250ms',
    '--store memory --close-every 500ms',
  ]) {
    await using demo = new Terminal(clone.folder, `make demo ARGS='${flags}'`)
    const { code, output } = await demo.ended
    expect(code, output).toBe(0)
    expect(output).toContain(`a ledger every ${flags.includes('250') ? 0.25 : 0.5} s`)
    expect(output).not.toContain('Postgres')
    certificates.push(await readFile(join(clone.folder, '.svc/demo/localnet-ca.pem'), 'utf8'))
  }
  expect(certificates[1]).toBe(certificates[0])
})

test('one test runs as the README says', { timeout: 120_000 }, async () => {
  const [, commands = ''] = /```sh\n(export PATH.*\nvitest run[\s\S]*?)```/.exec(readme) ?? []
  await using terminal = new Terminal(root, commands)
  const { code, output } = await terminal.ended
  expect(code, output).toBe(0)
  expect(output).toContain('1 passed, 0 failed')
})
