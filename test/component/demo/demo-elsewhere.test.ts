import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isOpenToAll } from '../../../src/demo/postgres/postgres-binaries.ts'
import { cloneCopy } from '../../support/clone-copy.ts'
import { Terminal } from '../../support/terminal.ts'
import { allGone, descendantsOf } from './demo-process.ts'

/** Root may write everywhere, so another user runs the demo then. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
const canRun = !isRoot || (await isOpenToAll(import.meta.filename))

const flags =
  '--store memory --port 0 --facilitator-port 0 --explorer-port 0 --network-port 0 --network-tls-port 0'

/** A clone and a home that its user cannot write to, and a folder of temporary files that it can. */
async function readOnlyWorld() {
  const clone = await cloneCopy()
  onTestFinished(() => clone[Symbol.asyncDispose]())
  const parent = await mkdtemp(join(tmpdir(), 'svc-user-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const [home, temporary] = [join(parent, 'home'), join(parent, 'tmp')]
  await mkdir(temporary)
  if (isRoot) await chown(temporary, NOBODY, NOBODY)
  await mkdir(home, { mode: 0o555 })
  for (const folder of [parent, dirname(clone.folder)]) await chmod(folder, 0o755)
  await chmod(clone.folder, 0o555)
  onTestFinished(() => chmod(clone.folder, 0o755))
  const variables = { HOME: home, TMPDIR: temporary, NPM_CONFIG_CACHE: join(temporary, 'npm') }
  return { clone, temporary, options: { variables, user } }
}

describe('a demo from a clone and a home that its user cannot write to', () => {
  it.runIf(canRun)(
    'keeps its files among temporary ones, where svc pay finds them',
    {
      timeout: 240_000,
    },
    async () => {
      const { clone, temporary, options } = await readOnlyWorld()
      const own = async () => (await readdir(temporary)).filter((name) => /^svc-\d/.test(name))

      await using demo = new Terminal(clone.folder, `make run ARGS='${flags}'`, options)
      await demo.printed(/Ctrl-C stops everything/)
      const [place = ''] = await own()
      const state = join(temporary, place, 'demo', 'demo.json')
      expect((await stat(state)).mode & 0o777).toBe(0o600)
      expect(demo.output).toContain(join(temporary, place, 'demo', 'localnet-ca.pem'))

      // As in a second terminal, in another folder.
      const svc = `node "${join(clone.folder, 'src/commands/svc.ts')}"`
      await using pay = new Terminal(temporary, `${svc} pay`, options)
      const paid = await pay.ended
      expect(paid.code, paid.output).toBe(0)
      expect(paid.output).toMatch(/9\.9852 USDC {2}→ {2}9\.9752 USDC/)

      const processes = await descendantsOf(demo.pid)
      expect(processes.length).toBeGreaterThan(1)
      demo.pressCtrlC()
      await demo.ended
      await allGone(processes)
      await expect(readFile(state)).rejects.toThrow('ENOENT')
    },
  )
})
