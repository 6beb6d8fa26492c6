import { randomBytes } from 'node:crypto'
import { Budget, BudgetExceeded } from '../../../../src/buying/budget/budget.ts'
import { signed } from '../../../unit/buying/budget/signed-payment.ts'

/* A process that spends: reserves until the budget is used up, or once and then waits for its end. */

const [file = '', limit = '', units = '', mode] = process.argv.slice(2)
const budget = new Budget({ file, limit: BigInt(limit), clock: { now: () => Date.now() } })

const reserve = () => {
  try {
    return budget.reserve(BigInt(units), { url: 'https://api.example' })
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined
    throw error
  }
}

/** Every third call fails before anything was sent, and gives back what it took. @returns how many were paid */
function spendAll(): number {
  for (let call = 1, paid = 0; ; call++) {
    const reservation = reserve()
    if (!reservation) return paid
    if (call % 3 === 0) {
      reservation.release()
    } else {
      reservation.signed({ ...signed, nonce: randomBytes(8).readBigInt64BE() })
      reservation.answered({ outcome: 'settled', transaction: null }, true)
      paid += 1
    }
  }
}

process.stdout.write('ready\n')
process.stdin.once('data', () => {
  const said = mode === 'hold' ? (reserve() ? 'reserved' : 'refused') : String(spendAll())
  process.stdout.write(`${said}\n`)
})
