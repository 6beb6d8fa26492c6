/** Types every command of docs/catalog.md in its order. */
import { expect } from 'vitest'
import { changed, type PageDemo, typeBlocks } from './page-demo.ts'
import { commandsOf, readPage } from './typed-page.ts'

const page = readPage('docs/catalog.md')
const commands = [...commandsOf(page)]

/** The block of JSON whose text contains the words. */
function shown(words: string): unknown {
  const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  const [block = ''] = blocks.filter((text) => text.includes(words))
  return JSON.parse(block)
}

const membersOf = (value: unknown): string[] => Object.keys(Object(value)).toSorted()

/** The demo has sold one call of each kind. */
export async function typeCatalog({ clone, changes }: PageDemo): Promise<void> {
  const left = new Set(commands)
  /** Types commands of the page into one shell. @returns its output */
  const type = async (...typed: readonly string[]): Promise<string> => {
    for (const command of typed) expect([command, left.delete(command)]).toEqual([command, true])
    return typeBlocks(clone, changes, ...typed)
  }
  const of = (words: string): string => commands.find((each) => each.includes(words)) ?? words
  // A terminal's output is no stream of JSON: its lines are wrapped by no one, but may have others beside them.
  const json = (output: string) => JSON.parse(output.slice(output.indexOf('{')))
  const resource = changed('http://127.0.0.1:4021/weather', changes)
  const metered = changed('http://127.0.0.1:4021/forecast', changes)

  const listing = json(await type(of('export LISTING'), of('resources/$LISTING')))
  const example = Object(shown('nextCheckAt'))
  expect(listing).toMatchObject({ resource, state: example.state })
  expect(membersOf(listing.lastOutcome)).toEqual(membersOf(example.lastOutcome))
  expect(listing.lastOutcome).toMatchObject({ ...example.lastOutcome, at: expect.anything() })

  const explained = await type(of('export DATABASE_URL'), of('catalog explain'))
  const lines = (text: string) =>
    text
      .replaceAll(/127\.0\.0\.1:\d+|[0-9a-f]{64}|[0-9a-f-]{36}|\bG[A-Z2-7]{55}\b/g, '…')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
  const text = /```text\n(http[\s\S]*?)```/.exec(page)?.[1] ?? ''
  expect(lines(explained)).toEqual(lines(text))

  const validate = of('/discovery/validate')
  expect(json(await type(validate))).toMatchObject({ outcome: 'listable', listing: { resource } })
  left.add(validate)
  const refused = shown('origin_not_payment_required')
  const other = validate.replace('/weather', '/joke')
  left.add(other)
  expect(json(await type(other))).toEqual(JSON.parse(changed(JSON.stringify(refused), changes)))
  left.delete(validate)

  const found = json(await type(of('/discovery/search')))
  const trust = 'origin_verified'
  const both = [
    expect.objectContaining({ resource }),
    expect.objectContaining({ resource: metered }),
  ]
  expect(found.resources).toEqual(expect.arrayContaining(both))
  expect(found.resources).toMatchObject([{ svc: { trust } }, { svc: { trust } }])
  expect(found.svc).toMatchObject({ method: 'hybrid', recognised: [] })

  const list = json(await type(of('/discovery/resources?')))
  expect(list).toMatchObject({ pagination: { limit: 20, total: 2 } })
  expect(list.items).toEqual(expect.arrayContaining(both))

  const variables = [of('export LISTING'), of('export DATABASE_URL')]
  for (const again of variables) left.add(again)
  const hidden = await type(...variables, of('catalog hide'), of('catalog unhide'))
  for (const action of ['hide', 'unhide']) expect(hidden).toContain(`"action":"${action}"`)

  expect([...left]).toEqual([])
}
