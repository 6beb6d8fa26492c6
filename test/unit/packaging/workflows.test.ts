import { accessSync, constants, globSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, test } from 'vitest'

const makeTargets = new Set(
  [...readFileSync('Makefile', 'utf8').matchAll(/^([a-z][a-z0-9-]*):/gm)].map(([, name]) => name),
)

interface Step {
  readonly uses?: string
  readonly run?: string
}

interface Job {
  readonly uses?: string
  readonly permissions?: object
  readonly 'timeout-minutes'?: number
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly permissions?: object
  readonly concurrency?: { readonly group: string }
  readonly jobs: Readonly<Record<string, Job>>
}

const files = globSync('.github/workflows/*.yml').toSorted()
const workflows = files.map((path) => ({
  path,
  workflow: load(readFileSync(path, 'utf8')) as Workflow,
}))
const jobsOf = ({ workflow }: { workflow: Workflow }) => Object.values(workflow.jobs)

/** Steps of the workflows, and of the actions of this repository that they use. */
const steps: readonly Step[] = [
  ...workflows.flatMap(jobsOf).flatMap((job) => job.steps ?? []),
  ...globSync('.github/actions/*/action.yml').flatMap(
    (path) => Object(load(readFileSync(path, 'utf8'))).runs.steps as readonly Step[],
  ),
]

/** Why a person could not run the same; undefined when they can. */
function problemOf(command: string): string | undefined {
  if (command.trim().includes('\n')) return 'more than one line: make it a script'
  if (command.includes('${{')) return 'a shell would expand it: hand it on in env'
  const [program = '', target = ''] = command.replace(/^sudo -E env "PATH=\$PATH" /, '').split(' ')
  if (program === 'make') return makeTargets.has(target) ? undefined : 'no such target'
  try {
    accessSync(program, constants.X_OK)
    return program.startsWith('tools/') ? undefined : 'no script of this repository'
  } catch {
    return 'neither a make target nor an executable script'
  }
}

describe('the workflows', () => {
  test('are those of check, test, e2e and release', () => {
    expect(files.map((path) => path.replace(/.*\//, ''))).toEqual([
      'check.yml',
      'e2e.yml',
      'release.yml',
      'test.yml',
    ])
  })

  test('run only commands that a person can run in a clone', () => {
    const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
    expect(commands.length).toBeGreaterThan(12)
    const problems = commands.flatMap((command) => {
      const problem = problemOf(command)
      return problem === undefined ? [] : [`${command}: ${problem}`]
    })
    expect(problems).toEqual([])
  })

  test.each([
    ['make no-such-target', 'no such target'],
    ['make check\nmake test', 'more than one line: make it a script'],
    [`make check VERSION=\${{ github.ref_name }}`, 'a shell would expand it: hand it on in env'],
    ['npm publish', 'neither a make target nor an executable script'],
  ])('would not pass with %j', (command, problem) => {
    expect(problemOf(command)).toBe(problem)
  })

  test.each(workflows)(
    '$path gives each job the rights that it names, and a time limit',
    ({ workflow }) => {
      expect(workflow.permissions).toEqual({})
      for (const job of Object.values(workflow.jobs)) {
        // An object: `write-all` would be a text. It names one at least, which no default adds to.
        expect(Object.keys(job.permissions ?? {})).toContain('contents')
        expect(typeof job.permissions).toBe('object')
        if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0)
      }
    },
  )

  test('have groups of their own, so that a release does not wait for itself', () => {
    const groups = workflows.map(({ workflow }) => workflow.concurrency?.group ?? '')
    expect(new Set(groups).size).toBe(groups.length)
    expect(groups.filter((group) => group.includes('github.workflow'))).toEqual([])
  })

  test('pin every action of others by commit, with its version', () => {
    const lines = globSync('.github/**/*.yml').flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => /uses: (?!\.\/)/.test(line)),
    )
    expect(lines.length).toBeGreaterThan(10)
    const pinned = /uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(lines.filter((line) => !pinned.test(line))).toEqual([])
    const commits = lines.map((line) => line.replace(/.*uses: /, ''))
    const actions = new Set(commits.map((each) => each.split('@')[0]))
    expect(new Set(commits).size, 'one commit for each action').toBe(actions.size)
  })

  test('write to registry, releases and certificates only where they publish', () => {
    const writers = workflows.flatMap(({ path, workflow }) =>
      Object.entries(workflow.jobs).flatMap(([name, { permissions }]) =>
        Object.entries(Object(permissions))
          .filter(([, access]) => access !== 'read')
          .map(([right]) => `${path.replace(/.*\//, '')} ${name}: ${right}`),
      ),
    )
    expect(writers).toEqual([
      'release.yml publish: packages',
      'release.yml publish: id-token',
      'release.yml publish: attestations',
      'release.yml notes: contents',
    ])
  })
})
