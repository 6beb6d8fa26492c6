import { z } from 'zod'
import { USDC_DECIMALS } from '../../buyer/usdc.ts'
import { decimalAmount } from '../../core/decimal.ts'
import { isoTime } from '../../core/iso-time.ts'
import { type Tool, tool } from '../tool.ts'
import { hashSchema } from '../wire.ts'
import type { Budget, RecordedPayment } from './budget.ts'
import type { OpenPayments } from './open-payments.ts'
import { budgetSchema, shownBudget } from './shown-budget.ts'

const MAX_PAYMENTS = 20

const decimal = z.string().regex(/^\d{1,39}(\.\d{1,18})?$/)

const shownSchema = z.object({
  at: z.iso.datetime(),
  state: z
    .enum(['reserved', 'signed', 'paid', 'unpaid'])
    .describe(
      'reserved: nothing was sent. signed: sent, and the ledger has not shown the outcome. paid: it took counted. unpaid: it expired unused.',
    ),
  origin: z.string().describe('Of the URL that was called.'),
  counted: decimal.describe('USDC that count for the budget.'),
  payTo: z.string().optional(),
  outcome: z
    .enum(['settled', 'refused', 'unknown'])
    .optional()
    .describe('What the seller said; absent: nothing yet.'),
  transaction: hashSchema.optional().describe('For payment_status.'),
})

const output = z.object({
  budget: budgetSchema,
  ledgerRead: z
    .boolean()
    .describe('false: the ledger could not be asked about a signed payment, which stays counted.'),
  payments: z.array(shownSchema).describe('Of the last 25 hours, newest first, at most 20.'),
})

interface ListOptions {
  readonly budget: Budget
  readonly open: OpenPayments
}

export const listPayments = ({ budget, open }: ListOptions): Tool =>
  tool({
    name: 'list_payments',
    title: 'List the payments of the wallet',
    description:
      'Shows the budget of 24 hours and what pay_and_call did with it, also calls that were cancelled or cut off. Asks the ledger about payments whose outcome is unknown, and gives back to the budget what expired unused. Costs nothing.',
    input: z.object({}),
    output,
    call: async () => {
      const ledgerRead = await open.resolve()
      const shown = shownBudget(budget.state())
      const payments = budget.payments(MAX_PAYMENTS).map(shownPayment)
      const line = `${shown.spent} of ${shown.limit} USDC are spent or set aside, ${shown.left} are left.`
      const lines = payments.map(lineOf)
      const text = [line, ...(ledgerRead ? [] : [NOT_READ]), ...lines].join('\n')
      return { result: { budget: shown, ledgerRead, payments }, text }
    },
  })

const NOT_READ =
  'The ledger could not be asked: signed payments stay counted. Call the tool again later.'

function shownPayment(recorded: RecordedPayment) {
  const { at, state, url, units, payment, outcome, transaction } = recorded
  return {
    at: isoTime(at),
    state,
    origin: url,
    counted: decimalAmount(units, USDC_DECIMALS),
    ...(payment && { payTo: payment.payTo }),
    ...(outcome && { outcome }),
    ...(transaction && { transaction }),
  }
}

const lineOf = ({ at, state, counted, origin, transaction }: ReturnType<typeof shownPayment>) =>
  `${at} ${state}: ${counted} USDC, ${origin}${transaction === undefined ? '' : `, transaction ${transaction}`}`
