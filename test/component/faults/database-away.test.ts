import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explorerRoutes } from '../../../src/service/openapi/explorer-routes.ts'
import { routes } from '../../../src/service/openapi/routes.ts'
import { ofExplorer, ofFacilitator, questions } from './away/questions.ts'
import { ways } from './away/ways.ts'
import { type AwayWorld, openAwayWorld } from './away/world.ts'

let world: AwayWorld
beforeAll(async () => {
  world = await openAwayWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('the requests are those of every route', () => {
  const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).toSorted()
  expect(Object.keys(ofFacilitator).toSorted()).toEqual(idsOf(routes))
  expect(Object.keys(ofExplorer).toSorted()).toEqual(idsOf(explorerRoutes))
})

const reading = questions.filter(({ sends }) => sends === undefined)
/** Of these every request writes. */
const writing = questions.filter(({ path }) => ['/settle', '/announce'].includes(path))

describe('every route answers 503 with Retry-After while', () => {
  test.each(ways)('$when', { timeout: 240_000 }, async ({ cause, during, onlyWrites, isBrief }) => {
    const payment = await world.pay()
    const asked = onlyWrites ? writing : questions
    await during(world, async () => {
      const [why, ...answers] = await Promise.all([
        onlyWrites ? world.causeOfWrite() : world.cause(),
        ...asked.map((question) => world.ask(question, payment)),
      ])
      expect(why).toMatch(cause)
      const failed = answers.filter(({ status }) => !isBrief || status >= 500)
      expect(failed.length).toBeGreaterThan(0)
      expect(failed).toEqual(
        failed.map(({ path }) => ({
          path,
          status: 503,
          retryAfter: expect.stringMatching(/^\d+$/),
        })),
      )
    })
    // The services find the database again by themselves.
    await expect
      .poll(
        async () => {
          const answers = await Promise.all(reading.map((question) => world.ask(question, payment)))
          return answers.filter(({ status }) => status >= 500)
        },
        { timeout: 120_000 },
      )
      .toEqual([])
    await expect
      .poll(async () => (await world.stack.post('/settle', payment)).body.success, {
        timeout: 120_000,
      })
      .toBe(true)
  })
})
