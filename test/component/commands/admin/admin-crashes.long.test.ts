import { expect, test } from 'vitest'
import { COUNT, KilledAdmin, provisionContinues, retireContinues } from './killed-admin.ts'

/* The kills that admin-crashes.test.ts leaves out. */

const admin = KilledAdmin.open()

test('svc provision, killed before it sends its first envelope, continues', async () => {
  await admin.killBeforeSending('provision')
  expect(admin.channels).toBe(0)
  const line = { channels: COUNT, created: COUNT }
  expect(await admin.run('provision')).toMatchObject({ code: 0, lines: [line] })
})

test.each([1, 3])('svc provision, killed after envelope %i, continues', (sent) =>
  provisionContinues(admin, sent),
)

test.each([1, 3])('svc retire, killed after envelope %i, continues', (sent) =>
  retireContinues(admin, sent),
)
