import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { svcProgram } from '../../../support/programs/program-path.ts'

const svc = svcProgram()

export interface OperatorProcess extends AsyncDisposable {
  readonly pid: number
  /** Every line it logged so far, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** Of its admin port. */
  readonly adminUrl: Promise<string>
  readonly exited: Promise<number | null>
  kill(signal: NodeJS.Signals): void
}

/** `svc operator` as a process of its own, on free ports. */
export function startOperator(
  kubeconfig: string,
  environment: Readonly<Record<string, string>>,
): OperatorProcess {
  const child = spawn(process.execPath, [svc, 'operator'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      KUBECONFIG: kubeconfig,
      HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      ...environment,
    },
  })
  const lines: Record<string, unknown>[] = []
  const { promise: adminUrl, resolve, reject } = Promise.withResolvers<string>()
  adminUrl.catch(() => undefined)
  createInterface({ input: child.stdout }).on('line', (text) => {
    if (process.env['OPERATOR_LINES'] === 'show') process.stderr.write(`${text}\n`)
    const line: Record<string, unknown> = JSON.parse(text)
    lines.push(line)
    if (typeof line['adminUrl'] === 'string') resolve(line['adminUrl'])
  })
  const exited = new Promise<number | null>((settle) => child.once('exit', settle))
  void exited.then((code) => reject(new Error(`the operator ended with ${code}`)))
  return {
    pid: child.pid ?? 0,
    lines,
    adminUrl,
    exited,
    kill: (signal) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
