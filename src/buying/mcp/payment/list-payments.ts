import { z } from 'zod'
import { decimalAmount } from '../../../platform/core/amounts/decimal.ts'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { Budget } from '../../budget/budget.ts'
import type { OpenPayments } from '../../budget/open-payments.ts'
import { paymentStates, type RecordedPayment } from '../../budget/recorded-payment.ts'
import { USDC_DECIMALS } from '../../offer/usdc.ts'
import { unexplainedReasons } from '../../sign/signed-authorization.ts'
import { fenced, LONG } from '../answers/seller-text.ts'
import { sellerTextSchema } from '../answers/shown-resource.ts'
import { hashSchema } from '../answers/wire.ts'
import { type Tool, tool } from '../tools/tool.ts'
import { toolInput } from '../tools/tool-input.ts'
import { budgetSchema, shownBudget } from './shown-budget.ts'

const MAX_PAYMENTS = 20

const decimal = z.string().regex(/^\d{1,39}(\.\d{1,18})?$/)

const shownSchema = z.object({
  id: z.string().describe('In the budget file; sellerText has the origin that was called.'),
  at: z.iso.datetime(),
  state: z
    .enum(paymentStates)
    .describe(
      'reserved: nothing was signed. signed: it may be sent, and the ledger has not shown what became of it, whatever outcome says. unexplained: it expired, and the ledger cannot show that it took nothing; only the user can end it. paid: it took counted. unpaid: it expired unused.',
    ),
  because: z
    .enum(unexplainedReasons)
    .optional()
    .describe(
      'not_retained: the RPC no longer has the ledgers. unknown_transfer: the wallet paid something in a transaction that the RPC does not show in full.',
    ),
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
  payments: z
    .array(shownSchema)
    .describe('Of the last 25 hours, and older ones that still count; newest first, at most 20.'),
  sellerText: sellerTextSchema,
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
      'Shows the budget of 24 hours and what pay_and_call did with it, also calls that were cancelled or cut off. Asks the ledger about payments whose outcome is unknown, and gives back to the budget what expired unused. What is unexplained stays counted until the user ends it with: svc pay resolve. Costs nothing.',
    input: toolInput({}),
    output,
    call: async (_, { fenceId }) => {
      const ledgerRead = await open.resolve()
      const shown = shownBudget(budget.state())
      const recorded = budget.payments(MAX_PAYMENTS)
      const payments = recorded.map(shownPayment)
      const origins = Object.fromEntries(recorded.map(({ id, url }) => [String(id), url]))
      const sellerText = fenced({ origins }, LONG, fenceId)
      const line = `${shown.spent} of ${shown.limit} USDC are spent or set aside, ${shown.left} are left.`
      const lines = payments.map(lineOf)
      const text = [line, ...(ledgerRead ? [] : [NOT_READ]), ...lines, sellerText].join('\n')
      return { result: { budget: shown, ledgerRead, payments, sellerText }, text }
    },
  })

const NOT_READ =
  'The ledger could not be asked: signed payments stay counted. Call the tool again later.'

function shownPayment(recorded: RecordedPayment) {
  const { id, at, state, because, units, payment, outcome, transaction } = recorded
  return {
    id: String(id),
    at: isoTime(at),
    state,
    ...(because && { because }),
    counted: decimalAmount(units, USDC_DECIMALS),
    ...(payment && { payTo: payment.payTo }),
    ...(outcome && { outcome }),
    ...(transaction && { transaction }),
  }
}

function lineOf(payment: ReturnType<typeof shownPayment>): string {
  const { id, at, state, counted, outcome, transaction } = payment
  const word = outcome === undefined ? '' : `, the seller says ${outcome}`
  const hash = transaction === undefined ? '' : `, transaction ${transaction}`
  return `${id}: ${at} ${state}: ${counted} USDC${word}${hash}`
}
