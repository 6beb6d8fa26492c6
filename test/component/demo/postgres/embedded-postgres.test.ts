import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startEmbeddedPostgres } from '../../../../src/demo/postgres/embedded-postgres.ts'
import { openStore } from '../../../../src/platform/database/open.ts'

const holder = new URL('postgres-holder.ts', import.meta.url).pathname

interface Held {
  readonly process: ChildProcess
  readonly url: string
  readonly pid: number
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const untilGone = (pid: number) =>
  vi.waitFor(() => expect(isAlive(pid), `process ${pid} lives`).toBe(false), { timeout: 120_000 })

async function ping(url: string): Promise<void> {
  await using store = await openStore({ kind: 'postgres', url })
  await store.ping()
}

describe('an embedded Postgres', () => {
  let directory: string
  const children: ChildProcess[] = []

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'embedded-postgres-test-'))
    await chmod(directory, 0o755)
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  })

  /** Starts one in a process of its own, to be killed. */
  async function hold(): Promise<Held> {
    const child = spawn(process.execPath, [holder, directory], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    children.push(child)
    const [line] = await once(createInterface(child.stdout), 'line')
    return { process: child, ...JSON.parse(line) }
  }

  it('answers who has its password, beside another one in the same directory, and leaves neither process nor folder when it is closed', async () => {
    await using first = await startEmbeddedPostgres({ directory })
    await using second = await startEmbeddedPostgres({ directory })
    expect(first.url).not.toBe(second.url)
    await Promise.all([ping(first.url), ping(second.url)])
    expect(await readdir(directory)).toHaveLength(2)
    const guess = new URL(first.url)
    guess.password = 'postgres'
    await expect(ping(guess.href)).rejects.toThrow('refuses the password of role "postgres"')

    await first.close()
    await first.close()
    expect(isAlive(first.pid)).toBe(false)
    await expect(ping(first.url)).rejects.toThrow('Nothing accepts connections at')
    await ping(second.url)
    await second.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('ends with the process that started it, even if that is killed, and leaves no folder', async () => {
    await chmod(directory, 0o1777)
    const held = await hold()
    await ping(held.url)
    held.process.kill('SIGKILL')
    await untilGone(held.pid)
    await vi.waitFor(async () => expect(await readdir(directory)).toEqual([]), { timeout: 120_000 })
  })

  it('says that a directory is none, and leaves the file as it is', async () => {
    const file = join(directory, 'file')
    await writeFile(file, 'kept')
    await expect(startEmbeddedPostgres({ directory: file })).rejects.toThrow(/EEXIST.*file/)
    expect(await readFile(file, 'utf8')).toBe('kept')
    expect(await readdir(directory)).toEqual(['file'])
  })

  it('starts after runs that were killed: while one still goes down, from a folder that one may not remove, and where one outlived its keeper', async () => {
    const killed = await hold()
    killed.process.kill('SIGKILL')
    await once(killed.process, 'exit')
    const next = await hold()
    await untilGone(killed.pid)
    await ping(next.url)

    next.process.kill('SIGKILL')
    await untilGone(next.pid)
    // What its user may not remove, the folder itself, is left to the next start.
    const left = async () => (await readdir(directory, { recursive: true })).length
    await vi.waitFor(async () => expect(await left()).toBeLessThan(3), { timeout: 120_000 })
    const third = await hold()
    expect(await readdir(directory)).toHaveLength(1)

    const keeper = execFileSync('ps', ['-o', 'ppid=', '-p', String(third.pid)]).toString()
    process.kill(Number(keeper), 'SIGKILL')
    third.process.kill('SIGKILL')
    await once(third.process, 'exit')
    expect(isAlive(third.pid)).toBe(true)
    await using last = await startEmbeddedPostgres({ directory })
    expect(isAlive(third.pid)).toBe(false)
    expect(await readdir(directory)).toHaveLength(1)
    await ping(last.url)
  })

  it('leaves alone a process that merely has the number of a dead server, and the folder of one in another PID namespace, which it cannot see', async () => {
    const bystander = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    children.push(bystander)
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    const stale = join(directory, 'svc-postgres-stale')
    await mkdir(join(stale, 'data'), { recursive: true })
    await writeFile(join(stale, 'owner'), `${dead.pid}\n`)
    await writeFile(join(stale, 'data', 'postmaster.pid'), `${bystander.pid}\n`)
    const other = join(directory, 'svc-postgres-other')
    await mkdir(other)
    await writeFile(join(other, 'owner'), `${dead.pid}\npid:[1]\n`)

    await using _next = await startEmbeddedPostgres({ directory })

    expect(isAlive(bystander.pid ?? 0)).toBe(true)
    const folders = await readdir(directory)
    expect(folders).not.toContain('svc-postgres-stale')
    expect(folders).toContain('svc-postgres-other')
  })
})
