/** What the README shows of a demo, and the commands of the guide that a demo prints. */
import { expect } from 'vitest'
import { type PageDemo, typeBlocks } from './page-demo.ts'
import { readPage } from './typed-page.ts'

export const readme = readPage('README.md')

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

const guideOf = (output: string): string => output.slice(output.indexOf('Running now'))

/** The README shows what the demo has printed, and no usual port of another program stands in its guide. */
export function expectAsShown({ terminal, taken }: PageDemo): void {
  expect(normalised(terminal.output)).toBe(normalised(shown))
  const guide = guideOf(terminal.output)
  for (const port of taken) {
    expect(terminal.output).toContain(`, as ${port} is taken\n`)
    expect(guide).not.toContain(`:${port}`)
  }
  // Of a terminal.
  const long = shown.split('\n').filter((line) => line.length > 80)
  expect(long).toEqual([])
}

/** Types the commands of the guide. */
export async function typeGuide({ clone, terminal }: PageDemo): Promise<void> {
  const guide = guideOf(terminal.output)
  const typed = (text: string) => typeBlocks(clone, [], text)
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
  const trust = commandUnder(guide, 'Let clients trust')
  const rpc = /over https +(\S+)/.exec(guide)?.[1] ?? ''
  const health = `{"jsonrpc":"2.0","id":1,"method":"getHealth"}`
  const request = `fetch("${rpc}", { method: "POST", body: JSON.stringify(${health}) })`
  expect(
    await typed(`${trust}\nnode -e '${request}.then((it) => it.text()).then(console.log)'`),
  ).toContain('healthy')
  const verdicts = await typed(`${trust}\n${commandUnder(guide, 'Keep what the seller signs')}`)
  expect(verdicts.match(/^ {2}\w+ +valid: /gm)).toHaveLength(5)
}
