import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import { objectName, secretKeyOf, secretKeyRef } from '../fields/fields.ts'
import { formedText, hasForm, type TextForm } from '../fields/text-form.ts'

/*
 * `spec.sponsor`: where the key of the sponsor lies. A status repeats it without defaults and rules, since the API server has filled in
 * and checked what the operator copies.
 */

const addressForm: TextForm = {
  expression: '^G[A-Z2-7]{55}$',
  message:
    'must be the address of an account: G and 55 more characters, each one of A to Z and 2 to 7',
}

const pathForm: TextForm = {
  expression: '^(/[-._a-zA-Z0-9]+)+$',
  message: "must be an absolute path: letters, digits, '-', '_' and '.', with '/' before each part",
}

const labelForm: TextForm = {
  expression: '^[ -~]+$',
  message: 'must be printable characters of ASCII',
}

const wordForm: TextForm = {
  expression: '^[-._a-zA-Z0-9]+$',
  message: "must be letters, digits, '-', '_' and '.'",
}

const segmentsForm: TextForm = {
  expression: '^[-._a-zA-Z0-9]+(/[-._a-zA-Z0-9]+)*$',
  message: "must be letters, digits, '-', '_' and '.', with '/' between parts",
}

const originForm: TextForm = {
  expression: '^https://[^ ,/?#@]+$',
  message: 'must be https://, a host and a port, without path, user and query',
}

const endpointForm: TextForm = {
  expression: '^https://[^ ,?#@]+$',
  message: 'must be https://, a host, a port and a path, without user and query',
}

const isUrl = (form: TextForm): CelRule => ({
  rule: `!${hasForm('self', form)} || isURL(self) && url(self).getHost() != '' && (url(self).getPort() == '' || int(url(self).getPort()) <= 65535)`,
  message: 'must be a whole URL, with a port of at most 65535',
  reason: 'FieldValueInvalid',
})

const isNamedOnce: CelRule = {
  rule: '[has(self.secretRef), has(self.pkcs11), has(self.vault), has(self.http)].filter(isSet, isSet).size() == 1',
  message:
    'set exactly one of secretRef, pkcs11, vault and http: it says where the key of the sponsor lies',
  reason: 'FieldValueInvalid',
}

const addressIsSet: CelRule = {
  rule: 'has(self.address) || has(self.secretRef)',
  message: 'set address, the G... address of the sponsor: only a seed in a Secret says it',
  reason: 'FieldValueRequired',
  fieldPath: '.address',
}

const endpointIsNamedOnce: CelRule = {
  rule: 'has(self.url) != has(self.socketPath)',
  message: 'set either url or socketPath',
  reason: 'FieldValueRequired',
}

const urlIsMutual: CelRule = {
  rule: '!has(self.url) || has(self.caSecretRef) && has(self.clientSecretRef)',
  message:
    'set caSecretRef and clientSecretRef beside url: signer and client show each other a certificate',
  reason: 'FieldValueRequired',
}

const socketIsPlain: CelRule = {
  rule: '!has(self.socketPath) || !has(self.caSecretRef) && !has(self.clientSecretRef)',
  message: 'leave out caSecretRef and clientSecretRef beside socketPath: a socket has no TLS',
  reason: 'FieldValueForbidden',
}

const address = () => formedText(56, addressForm)
const path = () => formedText(255, pathForm)
const secretName = () => z.object({ name: objectName().describe('Name of the Secret.') })

const http = z.object({
  url: formedText(256, endpointForm, isUrl(endpointForm))
    .optional()
    .describe('Address of the service.'),
  socketPath: path()
    .optional()
    .describe(
      'In place of url: a Unix socket in the pods, of a container that spec.podTemplate of the Facilitator adds.',
    ),
  caSecretRef: secretKeyRef('ca.crt', 'the certificate authority of the service, as PEM')
    .optional()
    .describe('The certificate authority of the service.'),
  clientSecretRef: secretName()
    .optional()
    .describe(
      'A Secret of type kubernetes.io/tls: the certificate that the pods and the operator show.',
    ),
})

/** The fields of `spec.sponsor`, with the rules and defaults that only a spec has. */
export const sponsorSource = z
  .object({
    address: address()
      .optional()
      .describe(
        'Address of the sponsor (G...); required but with secretRef, whose seed must be of it.',
      ),
    secretRef: secretKeyRef('secret', 'the seed (S...) of the sponsor')
      .optional()
      .describe(
        'A Secret with the seed of the sponsor. The keys of the channels are derived from it.',
      ),
    pkcs11: z
      .object({
        modulePath: path().describe(
          'Path of the PKCS#11 library in the pods, into which spec.podTemplate of the Facilitator brings it.',
        ),
        token: formedText(32, labelForm).describe('Label of the token.'),
        key: formedText(128, labelForm).describe('Label (CKA_LABEL) of the key pair.'),
        pinSecretRef: secretKeyRef('pin', 'the PIN of the token').describe('The PIN of the token.'),
      })
      .optional()
      .describe('A token of PKCS#11, such as a hardware security module, signs.'),
    vault: z
      .object({
        address: formedText(256, originForm, isUrl(originForm)).describe(
          'Address of Vault or OpenBao: https://, host and port.',
        ),
        caSecretRef: secretKeyRef('ca.crt', 'the certificate authority of the server, as PEM')
          .optional()
          .describe('The certificate authority of the server; a public one when absent.'),
        mount: formedText(96, segmentsForm)
          .default('transit')
          .describe('Path of the transit engine.'),
        key: formedText(96, wordForm).describe('Name of the key, of type ed25519.'),
        keyVersion: z
          .int()
          .min(1)
          .max(1_000_000)
          .optional()
          .describe('Version of the key; the latest when absent.'),
        namespace: formedText(96, segmentsForm)
          .optional()
          .describe('Namespace of Vault Enterprise or OpenBao.'),
        role: formedText(96, wordForm).describe(
          'Role of the auth method, for the service accounts of the pods and of the operator.',
        ),
        authMount: formedText(96, segmentsForm)
          .default('kubernetes')
          .describe('Path of the auth method, of type kubernetes or jwt.'),
        audience: formedText(128, labelForm)
          .default('vault')
          .describe('Audience of the service account token with which the pods log in.'),
      })
      .optional()
      .describe('The transit engine of HashiCorp Vault or OpenBao signs.'),
    http: http
      .meta(validations(endpointIsNamedOnce, urlIsMutual, socketIsPlain))
      .optional()
      .describe('A service that speaks the signing protocol signs.'),
  })
  .meta(validations(isNamedOnce, addressIsSet))

const text = (max: number) => z.string().max(max)
const keyOf = (holds: string) => secretKeyOf().describe(`The Secret with ${holds}.`)

/** The same in a status. */
export const sponsorSourceOf = () =>
  z.object({
    address: text(56).optional().describe('Its address, if the spec had one.'),
    secretRef: keyOf('its seed').optional(),
    pkcs11: z
      .object({
        modulePath: text(255).describe('Path of the library.'),
        token: text(32).describe('Label of the token.'),
        key: text(128).describe('Label of the key pair.'),
        pinSecretRef: keyOf('the PIN'),
      })
      .optional()
      .describe('The token that signs.'),
    vault: z
      .object({
        address: text(256).describe('Address of the server.'),
        caSecretRef: keyOf('its certificate authority').optional(),
        mount: text(96).describe('Path of the transit engine.'),
        key: text(96).describe('Name of the key.'),
        keyVersion: z.int().min(1).max(1_000_000).optional().describe('Version of the key.'),
        namespace: text(96).optional().describe('Its namespace.'),
        role: text(96).describe('Role of the auth method.'),
        authMount: text(96).describe('Path of the auth method.'),
        audience: text(128).describe('Audience of the token.'),
      })
      .optional()
      .describe('The transit engine that signs.'),
    http: z
      .object({
        url: text(256).optional().describe('Address of the service.'),
        socketPath: text(255).optional().describe('Its socket.'),
        caSecretRef: keyOf('its certificate authority').optional(),
        clientSecretRef: secretName()
          .optional()
          .describe('The Secret with the client certificate.'),
      })
      .optional()
      .describe('The service that signs.'),
  })

/** Where the key of a sponsor lies. */
export type SponsorSource = Readonly<z.output<ReturnType<typeof sponsorSourceOf>>>
