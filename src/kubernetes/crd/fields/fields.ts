import { z } from 'zod'
import { type CelRule, validations } from './cel.ts'
import { durationPattern } from './duration.ts'

/*
 * Types of fields of both kinds. Each has bounds: the API server estimates the cost of rules from them and
 * refuses a definition whose rules may cost too much.
 */

/** Lists with a key: two writers can own one entry each. */
export const listMap = (...keys: readonly string[]) => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})
export const atomicList = { 'x-kubernetes-list-type': 'atomic' } as const
export const setList = { 'x-kubernetes-list-type': 'set' } as const

/** A name of another object of the cluster (RFC 1123 subdomain). */
export const objectName = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)

/** A name that is also a label (RFC 1123), as the names of our kinds are. */
export const labelName = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)

const secretKey = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[-._a-zA-Z0-9]+$/)

/**
 * A key of a Secret of the same namespace, whose default the API server fills in. Not atomic: of an atomic object
 * the filled-in key would belong to one field manager, and the same manifest would conflict for another.
 */
export const secretKeyRef = (key: string, holds: string) =>
  z.object({
    name: objectName().describe('Name of the Secret, in the same namespace.'),
    key: secretKey().default(key).describe(`Key of the Secret that holds ${holds}.`),
  })

/** In a status: the Secret and the key of a reference, both known. */
export const secretKeyOf = () =>
  z.object({
    name: objectName().describe('Name of the Secret, in the same namespace.'),
    key: secretKey().describe('Key of the Secret.'),
  })

/** A key of a Secret of the same namespace. */
export type SecretKey = Readonly<z.output<ReturnType<typeof secretKeyOf>>>

/** An object of a kind of Kubernetes that only its own API validates, when the operator applies it. */
export const unchecked = () => z.looseObject({}).meta(preserveUnknown)
export const preserveUnknown = { 'x-kubernetes-preserve-unknown-fields': true } as const

export const duration = () => z.string().max(16).regex(durationPattern)

/** XLM with at most 7 decimals, as text: a floating-point number would lose stroops. */
export const lumens = () =>
  z
    .string()
    .max(19)
    .regex(/^(0|[1-9][0-9]{0,10})(\.[0-9]{1,7})?$/)

/** More than the XLM of any sponsor: an amount above it is a slip, such as stroops. */
const MAX_XLM = 1_000_000

/** A rule that a field of lumens is below what a sponsor can have; belongs to the parent of the field. */
export const atMostMaxXlm = (field: string): CelRule => ({
  rule: `!has(self.${field}) || double(self.${field}) <= ${MAX_XLM}.0`,
  message: `${field} must be at most ${MAX_XLM}`,
  reason: 'FieldValueInvalid',
  fieldPath: `.${field}`,
})

/** 100 XLM, more than any settlement may cost: a fee above it is a slip, and a sponsor would need as much. */
export const MAX_FEE_STROOPS = 1_000_000_000n

/** A rule that a field of stroops is no such slip; belongs to the parent of the field. */
export const atMostMaxFee = (field: string): CelRule => ({
  rule: `int(self.${field}) <= ${MAX_FEE_STROOPS}`,
  message: `${field} must be at most ${MAX_FEE_STROOPS}, which are 100 XLM`,
  reason: 'FieldValueInvalid',
  fieldPath: `.${field}`,
})

/** Whole stroops, at least 100, as text. */
export const stroops = () =>
  z
    .string()
    .max(18)
    .regex(/^[1-9][0-9]{2,17}$/)

/** Address of a contract, `C...`; the checksum is left to the pods. */
export const contractAddress = () =>
  z
    .string()
    .length(56)
    .regex(/^C[A-Z2-7]{55}$/)

/** The pattern alone would accept what no program can connect to, such as `https://[::1` or port 99999. */
export const httpUrl = () =>
  z
    .string()
    .min(8)
    .max(512)
    .regex(/^https?:\/\/[^\s,]+$/)
    .meta(
      validations({
        rule: "isURL(self) && url(self).getHost() != '' && (url(self).getPort() == '' || int(url(self).getPort()) <= 65535)",
        message: 'must be a whole http:// or https:// URL, with a port of at most 65535',
        reason: 'FieldValueInvalid',
      }),
    )

export const hostName = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)

/** A point in time, RFC 3339. */
export const timestamp = () => z.string().meta({ format: 'date-time' })

export const count = (max = 1_000_000) => z.int().min(0).max(max)

/** A quantity of Kubernetes, such as `100m`, `1` or `256Mi`. */
export const quantity = () =>
  z.union([
    z.int().min(0).max(2_147_483_647),
    z
      .string()
      .max(32)
      .regex(
        /^(\+)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?[0-9]+))?$/,
      ),
  ])

export const labelMap = () =>
  z
    .record(
      z.string(),
      z
        .string()
        .max(63)
        .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/),
    )
    .meta({ maxProperties: 32 })

export const annotationMap = () =>
  z.record(z.string(), z.string().max(4_096)).meta({ maxProperties: 32 })

/** The object's own name becomes part of the names of Services and a label value. */
export const nameIsLabel: readonly CelRule[] = [
  {
    rule: "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    message:
      "metadata.name must be at most 63 lower-case letters, digits and '-', begin with a letter and end with a letter or digit",
  },
]
