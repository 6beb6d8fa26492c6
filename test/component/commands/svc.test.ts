import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { svcProgram } from '../../support/programs/program-path.ts'
import { runHere } from './run-here.ts'

/** Runs `svc` with exactly these variables. */
async function svc(args: readonly string[], env: Record<string, string> = {}) {
  const { code, out: stdout, err: stderr } = await runHere(env, ...args)
  return { code, stdout, stderr }
}

describe('svc', () => {
  test('lists its commands with --help', async () => {
    const { code, stdout } = await svc(['--help'])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}serve +\S/m)
    expect(stdout).toMatch(/^ {2}migrate +\S/m)
  })

  test.each([
    { args: [], sentence: 'svc: a command is missing\n' },
    { args: ['nope'], sentence: 'svc: no command "nope"' },
    { args: ['toString'], sentence: 'svc: no command "toString"' },
  ])('exits 64 for $args', async ({ args, sentence }) => {
    const { code, stdout, stderr } = await svc(args)

    expect(code).toBe(64)
    expect(stdout).toBe('')
    expect(stderr).toContain(sentence)
    expect(stderr).toMatch(/^ {2}serve +\S/m)
  })

  test('is a program that ends with the code of its command', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown[]>()
    execFile(process.execPath, [svcProgram(), 'nope'], { env: {} }, (error, ...printed) =>
      resolve([error?.code, ...printed]),
    )
    expect(await promise).toEqual([64, '', expect.stringContaining('svc: no command "nope"')])
  })

  test.each([
    { args: ['sttaus'], meant: 'status' },
    { args: ['settlement'], meant: 'settlements' },
    { args: ['prov'], meant: 'provision' },
    { args: ['--verison'], meant: '--version' },
  ])('names the command that $args was to be', async ({ args, meant }) => {
    expect(await svc(args)).toEqual({
      code: 64,
      stdout: '',
      stderr: `svc: no command "${args[0]}". Did you mean ${meant}?\nsvc --help lists the commands.\n`,
    })
  })

  test.each([
    ['--help', 'doctor'],
    ['--version', 'x'],
    ['version', '--bad'],
    ['help', 'operator', 'x'],
  ])('refuses a superfluous argument of %s %s', async (...args) => {
    expect(await svc(args.filter(Boolean))).toMatchObject({ code: 64, stdout: '' })
  })

  test.each(['--version', '-v', 'version'])('%s prints the versions', async (arg) => {
    const own: string = JSON.parse(readFileSync('package.json', 'utf8')).version
    const node = process.versions.node
    expect((await svc([arg])).stdout).toBe(`svc ${own}, Node ${node}\n`)
    const ofImage = await svc([arg], { SVC_VERSION: '1.2.3' })
    expect(ofImage).toEqual({
      code: 0,
      stdout: `svc ${own} (SVC_VERSION 1.2.3), Node ${node}\n`,
      stderr: '',
    })
  })

  test.each(['serve', 'migrate'])('explains %s', async (command) => {
    const { code, stdout } = await svc([command, '--help'])

    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^svc ${command}: `))
  })

  test('reports an unknown option in two lines', async () => {
    const { code, stderr } = await svc(['serve', '--bad'])

    expect(code).toBe(64)
    expect(stderr).toMatch(/^svc serve: Unknown option '--bad'.*\nsvc serve --help .*\n$/)
  })

  test.each(['serve', 'migrate'])('exits 78 when %s is badly configured', async (command) => {
    const { code, stderr } = await svc([command], { LOG_LEVEL: 'loud' })

    expect(code).toBe(78)
    expect(stderr).toMatch(/^the configuration is invalid:\n {2}LOG_LEVEL must be one of /)
    expect(stderr).toMatch(/^ {2}DATABASE_URL is required/m)
  })

  test('reports in a sentence that the database does not answer', async () => {
    const { code, stderr } = await svc(['migrate'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' })

    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^svc migrate: Nothing accepts connections at 127\.0\.0\.1:1 .*\. Start Postgres there, .*\n$/,
    )
  })
})
