import { z } from 'zod'
import { type CelRule, validations } from './cel.ts'
import { durationForm } from './duration.ts'
import { formedText, hasForm, type TextForm } from './text-form.ts'

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

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

/** A name of another object of the cluster (RFC 1123 subdomain). */
export const objectName = () =>
  formedText(253, {
    expression: `^${LABEL}([.]${LABEL})*$`,
    message:
      "must be the name of an object: lower-case letters, digits, '-' and '.', with a letter or digit at both ends",
  })

/** A name that is also a label (RFC 1123), as the names of our kinds are. */
export const labelName = () =>
  formedText(63, {
    expression: `^${LABEL}$`,
    message: "must be lower-case letters, digits and '-', with a letter or digit at both ends",
  })

const secretKey = () =>
  formedText(253, {
    expression: '^[-._a-zA-Z0-9]+$',
    message: "must be a key of a Secret: letters, digits, '-', '_' and '.'",
  })

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

export const duration = () => formedText(16, durationForm)

const decimalForm: TextForm = {
  expression: '^(0|[1-9][0-9]{0,10})([.][0-9]{1,7})?$',
  message: 'must be an amount in digits, with at most 7 decimals, such as 25 or 0.5',
}

/** XLM with at most 7 decimals, as text: a floating-point number would lose stroops. */
export const lumens = () => formedText(19, decimalForm)

/** An amount whose upper bound is a slip of the hand for everyone. */
export const decimalUpTo = (max: number, unit: string) =>
  formedText(19, decimalForm, {
    rule: `!${hasForm('self', decimalForm)} || double(self) <= ${max}.0`,
    message: `must be at most ${max} ${unit}`,
    reason: 'FieldValueInvalid',
  })

/** Whether a rule can parse the field, an amount of `lumens` or `decimalUpTo`. */
export const isDecimal = (text: string): string => hasForm(text, decimalForm)

/** More than the XLM of any sponsor: an amount above it is a slip, such as stroops. */
const MAX_XLM = 1_000_000

/** A rule that a field of lumens is below what a sponsor can have; belongs to the parent of the field. */
export const atMostMaxXlm = (field: string): CelRule => ({
  rule: `!has(self.${field}) || !${isDecimal(`self.${field}`)} || double(self.${field}) <= ${MAX_XLM}.0`,
  message: `${field} must be at most ${MAX_XLM}`,
  reason: 'FieldValueInvalid',
  fieldPath: `.${field}`,
})

const stroopsForm: TextForm = {
  expression: '^[1-9][0-9]{2,17}$',
  message: 'must be whole stroops, at least 100, in digits without a leading zero',
}
/** 100 XLM, more than any settlement may cost: a fee above it is a slip, and a sponsor would need as much. */
export const MAX_FEE_STROOPS = 1_000_000_000n

/** A rule that a field of stroops is no such slip; belongs to the parent of the field. */
export const atMostMaxFee = (field: string): CelRule => ({
  rule: `!${isStroops(`self.${field}`)} || int(self.${field}) <= ${MAX_FEE_STROOPS}`,
  message: `${field} must be at most ${MAX_FEE_STROOPS}, which are 100 XLM`,
  reason: 'FieldValueInvalid',
  fieldPath: `.${field}`,
})

/** Whole stroops, at least 100, as text. */
export const stroops = () => formedText(18, stroopsForm)

/** Whether a rule can parse the field, an amount of `stroops`. */
export const isStroops = (text: string): string => hasForm(text, stroopsForm)

const CONTRACT = 'C[A-Z2-7]{55}'
const contractForm: TextForm = {
  expression: `^${CONTRACT}$`,
  message:
    'must be the address of a contract: C and 55 more characters, each one of A to Z and 2 to 7',
}

/** Address of a contract, `C...`; the checksum is left to the pods. */
export const contractAddress = () => formedText(56, contractForm)

/** The same, or a word. */
export const contractOr = (word: string) =>
  formedText(56, {
    expression: `^(${word}|${CONTRACT})$`,
    message: contractForm.message.replace('must be', `must be ${word}, or`),
  })

/** Names of parameters whose values are most likely secret. */
const SECRET_PARAMETER =
  '(?i:[?&][^=&#]*(key|token|secret|passw|auth|credential|signature)[^=&#]*=)'

/** More people may read a resource than a Secret, and the resource is often in Git. */
const holdsNoSecret = (instead: string): CelRule => ({
  rule: `!self.matches('^[^:]+://[^/?#]*@') && !self.matches('${SECRET_PARAMETER}')`,
  message: `must hold no user, password or key: ${instead}`,
  reason: 'FieldValueForbidden',
})

const urlForm: TextForm = {
  expression: '^https?://[^ ,]+$',
  message: 'must begin with http:// or https://, and have no space and no comma',
}

/**
 * The form alone would accept what no program can connect to, such as `https://[::1` or port 99999.
 * @param instead where its secrets belong
 */
export const httpUrl = (instead = 'a resource is no place for secrets') =>
  formedText(
    512,
    urlForm,
    {
      rule: `!${hasForm('self', urlForm)} || isURL(self) && url(self).getHost() != '' && (url(self).getPort() == '' || int(url(self).getPort()) <= 65535)`,
      message: 'must be a whole http:// or https:// URL, with a port of at most 65535',
      reason: 'FieldValueInvalid',
    },
    holdsNoSecret(instead),
  )

/** The host of an Ingress or an HTTPRoute: neither takes an address. */
export const hostName = () =>
  formedText(
    253,
    {
      expression: `^${LABEL}([.]${LABEL})*$`,
      message:
        "must be a whole host name, such as pay.example.com: lower-case letters, digits, '-' and '.', without scheme, port, path or '*'",
    },
    {
      rule: "!self.matches('^[0-9.]+$')",
      message: 'must be a host name, not an address',
      reason: 'FieldValueInvalid',
    },
  )

/** A point in time, RFC 3339. */
export const timestamp = () => z.string().meta({ format: 'date-time' })

export const count = (max = 1_000_000) => z.int().min(0).max(max)

const labelValue = () =>
  formedText(63, {
    expression: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$',
    message:
      "must be the value of a label: letters, digits, '-', '_' and '.', with a letter or digit at both ends",
  })

/** A prefix with a slash is the name of a domain. */
const namesHaveForm = (what: string): CelRule => ({
  rule: `self.all(name, name.size() <= 317 && name.matches('^(${LABEL}([.]${LABEL})*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,
  message: `names of ${what} must be letters, digits, '-', '_' and '.', at most 63 of them, with a letter or digit at both ends, and a domain with '/' before them if any`,
  reason: 'FieldValueInvalid',
})

export const labelMap = () =>
  z
    .record(z.string(), labelValue())
    .meta({ maxProperties: 32, ...validations(namesHaveForm('labels')) })

export const annotationMap = () =>
  z
    .record(z.string(), z.string().max(4_096))
    .meta({ maxProperties: 32, ...validations(namesHaveForm('annotations')) })

/** The object's own name becomes part of the names of Services and a label value. */
export const nameIsLabel: readonly CelRule[] = [
  {
    rule: "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    message:
      "metadata.name must be at most 63 lower-case letters, digits and '-', begin with a letter and end with a letter or digit",
  },
]
