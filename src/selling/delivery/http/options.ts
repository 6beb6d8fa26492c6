import type { x402ResourceServer } from '@x402/core/server'
import { type ClaimOptions, type ClaimSettings, claimSettings } from '../options.ts'

/** The stock `x402ResourceServer`, of 2.9.0 or newer, as far as it is needed to settle. */
export type SettlingServer = Pick<x402ResourceServer, 'settlePayment'>

export interface DeliveryOptions extends ClaimOptions {
  /**
   * The stock server that the payment middleware has. Its `settlePayment` is replaced by one that first stores what the handler
   * answered, so that a repeat gets it also when this process ends during the settlement. @default answers are stored
   * once they are paid for
   */
  readonly resources?: SettlingServer
  /** Whether a payment without an id is answered 400. Say it in the offer too. @default false */
  readonly idRequired?: boolean
  /** A larger answer is sent, and only its receipt is kept. @default 256 KiB */
  readonly maxAnswerBytes?: number
  /** A paid request with a larger body is answered 413. @default 1 MiB */
  readonly maxRequestBytes?: number
}

export type DeliverySettings = ClaimSettings &
  Required<Omit<DeliveryOptions, 'resources'>> &
  Pick<DeliveryOptions, 'resources'>

const KIBIBYTE = 1_024

/** @throws RangeError for a scope that is no name */
export const settingsOf = (options: DeliveryOptions): DeliverySettings => ({
  idRequired: false,
  maxAnswerBytes: 256 * KIBIBYTE,
  maxRequestBytes: KIBIBYTE * KIBIBYTE,
  ...options,
  ...claimSettings(options),
})
