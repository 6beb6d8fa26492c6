import type { DoctorFacts, ServiceFacts } from '../facts/doctor-facts.ts'
import type { Fetched } from '../facts/fetched.ts'
import type { CheckName } from './names.ts'
import { type Finding, findingsOf, noPatience, type Problem, type ReadProblem } from './problem.ts'
import { someOf } from './words.ts'

/** The result of one check of `svc doctor`. */
export interface Diagnosis {
  /** `warning`: payments go on, and an administrator should know. `problem`: payments fail, or soon will. */
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped'
  /** The finding, in one clause. */
  readonly says: string
  /** The advice about it; absent with `ok` and `skipped`. */
  readonly todo?: string
}

/** One check of `svc doctor`: problems that are looked for together, the gravest first. Pure: all facts were read. */
export interface Check<Facts> {
  readonly name: CheckName
  /** Earlier checks that must not have found a problem for this one to make sense. */
  readonly needs: readonly CheckName[]
  readonly by: readonly Command[]
  readonly problems: readonly (Problem | ReadProblem<never, Facts>)[]
  readonly run: (facts: Facts) => Diagnosis
}

type Command = 'doctor' | 'preflight'

interface CheckRow<Value, Facts, Each> {
  readonly name: CheckName
  readonly needs?: readonly CheckName[]
  /** The commands that make it. @default doctor */
  readonly by?: readonly Command[]
  /** The facts that the check needs, or why they could not be read; undefined with STORE=memory. */
  readonly read: (facts: Facts) => Fetched<Value> | undefined
  /** The advice when they could not be read, where the error itself has none. */
  readonly again?: string
  readonly problems: readonly Each[]
  /** The text of the result without a problem. */
  readonly ok: (value: Value, facts: Facts) => string
}

export const serviceCheck = <Value>(
  row: CheckRow<Value, ServiceFacts, ReadProblem<Value, ServiceFacts>>,
): Check<ServiceFacts> =>
  checkOf(row, (problem, value, facts) => findingsOf(problem.findIn(value, facts)))

export const networkCheck = <Value>(
  row: CheckRow<Value, DoctorFacts, Problem | ReadProblem<Value, DoctorFacts>>,
): Check<DoctorFacts> =>
  checkOf(row, (problem, value, facts) =>
    findingsOf('find' in problem ? problem.find(facts, noPatience) : problem.findIn(value, facts)),
  )

function checkOf<Value, Facts, Each extends Problem | ReadProblem<Value, Facts>>(
  row: CheckRow<Value, Facts, Each>,
  findingsIn: (problem: Each, value: Value, facts: Facts) => readonly Finding[],
): Check<Facts> {
  const { name, needs = [], by = ['doctor'], read, again = '', problems, ok } = row
  const run = (facts: Facts): Diagnosis => {
    const fetched = read(facts)
    if (!fetched) return skipped('STORE=memory: only the service itself knows')
    if (!fetched.ok) {
      return { status: 'problem', says: fetched.why, todo: fetched.todo ?? again }
    }
    for (const problem of problems) {
      if (problem.doctor === undefined) continue
      const findings = findingsIn(problem, fetched.value, facts)
      const [first] = findings
      if (!first) continue
      const says = someOf(findings.map((finding) => finding.says))
      return { status: problem.doctor, says, todo: first.todo }
    }
    return { status: 'ok', says: ok(fetched.value, facts) }
  }
  return { name, needs, by, problems, run }
}

/** The check could not be made. */
export const skipped = (says: string): Diagnosis => ({ status: 'skipped', says })

/** The result of `read` for a check whose facts are always known. */
export const known = <Value>(value: Value): Fetched<Value> => ({ ok: true, value })

/** Both, or why the first of them that is missing could not be read. */
export const both = <A, B>(
  a: Fetched<A>,
  b: Fetched<B> | undefined,
): Fetched<readonly [A, B]> | undefined => {
  if (!a.ok) return a
  return b?.ok ? { ok: true, value: [a.value, b.value] } : b
}
