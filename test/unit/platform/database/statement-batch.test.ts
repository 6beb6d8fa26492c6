import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { StatementBatch } from '../../../../src/platform/database/statement-batch.ts'

interface Statement {
  readonly items: readonly string[]
  readonly end: () => void
}

/** A batch whose statements end when the test says so, refused when they hold an item named `bad`. */
function batching(limits: { maxItems?: number; maxStatements?: number } = {}) {
  const statements: Statement[] = []
  const run = async (items: readonly string[]) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    statements.push({ items, end: resolve })
    await promise
    if (items.includes('lost')) throw new StoreUnavailable(new Error('connection lost'))
    if (items.includes('bad')) throw new Error(`refused: ${items}`)
  }
  const batch = new StatementBatch<string, string>({
    one: async (item) => {
      await run([item])
      return `${item} alone`
    },
    many: async (items) => {
      await run(items)
      return items.map((item) => (item === 'locked' ? undefined : `${item} of ${items.length}`))
    },
    maxItems: 10,
    maxStatements: 1,
    ...limits,
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  let ended = 0
  return {
    write: (...items: string[]) => Promise.allSettled(items.map((item) => batch.write(item))),
    settle,
    /** Ends every statement, and those that follow. */
    endAll: async () => {
      for (await settle(); ended < statements.length; await settle()) statements[ended++]?.end()
    },
    endNext: async () => {
      statements[ended++]?.end()
      await settle()
    },
    sent: () => statements.map(({ items }) => items.join(' ')),
  }
}

const values = (results: readonly PromiseSettledResult<string>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)))

describe('a statement batch', () => {
  it('writes an item alone by the statement for one', async () => {
    const { write, endAll, sent } = batching()
    const written = write('a')
    await endAll()
    expect(values(await written)).toEqual(['a alone'])
    expect(sent()).toEqual(['a'])
  })

  it('writes what comes together in one statement', async () => {
    const { write, endAll, sent } = batching()
    const [first, second] = [write('a', 'b'), Promise.resolve().then(() => write('c'))]
    await endAll()
    expect(values(await first)).toEqual(['a of 3', 'b of 3'])
    expect(values(await second)).toEqual(['c of 3'])
    expect(sent()).toEqual(['a b c'])
  })

  it('collects what comes while as many statements as may be are under way', async () => {
    const { write, settle, endNext, sent } = batching({ maxStatements: 2 })
    for (const item of ['a', 'b', 'c', 'd', 'e']) {
      void write(item)
      await settle()
    }
    expect(sent()).toEqual(['a', 'b'])
    await endNext()
    expect(sent()).toEqual(['a', 'b', 'c d e'])
  })

  it('splits what is more than a statement may have', async () => {
    const { write, endAll, sent } = batching({ maxItems: 2, maxStatements: 9 })
    const written = write('a', 'b', 'c')
    await endAll()
    expect(values(await written)).toEqual(['a of 2', 'b of 2', 'c alone'])
    expect(sent()).toEqual(['a b', 'c'])
  })

  it('lets a bad item fail alone', async () => {
    const { write, endAll, sent } = batching()
    const written = write('a', 'b', 'bad', 'd')
    await endAll()
    expect(values(await written)).toEqual(['a of 2', 'b of 2', 'Error: refused: bad', 'd alone'])
    expect(sent()).toEqual(['a b bad d', 'a b', 'bad d', 'bad', 'd'])
  })

  it('fails all items of a statement that the database could not answer, and repeats none', async () => {
    const { write, endAll, sent } = batching()
    const written = write('a', 'lost')
    await endAll()
    const fault = 'StoreUnavailable: store unavailable: connection lost'
    expect(values(await written)).toEqual([fault, fault])
    expect(sent()).toEqual(['a lost'])
  })

  it('writes alone what a statement left alone, and does not wait for it', async () => {
    const { write, settle, endNext, sent } = batching()
    const written = write('a', 'locked')
    await settle()
    await endNext()
    void write('c')
    await settle()
    expect(sent()).toEqual(['a locked', 'locked', 'c'])
    await endNext()
    expect(values(await written)).toEqual(['a of 2', 'locked alone'])
  })
})
