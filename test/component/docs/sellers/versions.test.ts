import { expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { file } from '../../../support/stock/sellers-page.ts'
import { forEachLine, type Market } from '../../../support/stock/sellers-stack.ts'

/* What the page says about the two lines, so that a reader can choose. */

/** A server with prices on a path with a parameter and on one with a wildcard. */
const manyPaths = file('express.mjs')
  .replace("'/joke': {", "'/report/:id': { accepts }, '/files/*': { accepts }, '/joke': {")
  .replace(
    'const routes',
    `const accepts = { ${/scheme: 'exact'.*PAY_TO/.exec(file('express.mjs'))} }\nconst routes`,
  )
  .replace(
    'app.listen',
    "app.get(['/report/:id', '/files/*rest'], (_, answer) => { answer.json({}) })\napp.listen",
  )

async function statusesOf({ folder }: Market, paths: readonly string[]) {
  await folder.save('many-paths.mjs', manyPaths)
  await using server = await folder.serve('many-paths.mjs', await freePort())
  const answers = paths.map((path) => fetch(server.url.replace('/joke', path)))
  return (await Promise.all(answers)).map(({ status }) => status)
}

const paths = ['/report/a', '/files/a', '/report/a%2Fb', '/files/a%0Ab']

forEachLine({}, (market, { line }) => {
  if (line === 'newest') {
    it('asks for a payment on every way to write a path', async () => {
      expect(await statusesOf(market(), paths)).toEqual([402, 402, 402, 402])
    })

    it('needs the additions of the page in the server', async () => {
      const { folder } = market()
      await folder.save('plain.mjs', file('express.mjs').replace('paymentFlows:', 'unread:'))
      const { code, output } = await folder.run('plain.mjs', [], { PORT: '0' })
      expect(code).toBe(1)
      expect(output).toContain('Cannot read properties of undefined')
    })

    it('needs the additions of the page in the client', async () => {
      const { folder } = market()
      await folder.save('plain.mjs', file('client.mjs').replace('findDefaultAsset:', 'unread:'))
      await using server = await folder.serve('express.mjs', await freePort())
      const { code, output } = await folder.run('plain.mjs', [server.url])
      expect(code).toBe(1)
      expect(output).toContain('rejected by spendControls')
    })

    it('answers 500 while the facilitator does not answer', async () => {
      const nobody = { FACILITATOR_URL: `http://127.0.0.1:${await freePort()}` }
      await using server = await market().folder.serve('express.mjs', await freePort(), nobody)
      expect((await fetch(server.url)).status).toBe(500)
    })
    return
  }

  it('gives away answers whose path is written in another way', async () => {
    expect(await statusesOf(market(), paths)).toEqual([402, 402, 200, 200])
  })

  it('ends when the facilitator does not answer at the start', async () => {
    const nobody = { FACILITATOR_URL: `http://127.0.0.1:${await freePort()}`, PORT: '0' }
    const { code, output } = await market().folder.run('express.mjs', [], nobody)
    expect(code).toBe(1)
    expect(output).toContain('no supported payment kinds loaded from any facilitator')
  })
})
