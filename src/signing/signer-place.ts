/** Where the key of a sponsor lies, other than in a seed. Each path names a file of this machine, read again whenever it is used. */
export type SignerPlace = Pkcs11Place | VaultPlace | HttpPlace

export interface Pkcs11Place {
  readonly kind: 'pkcs11'
  /** Absolute path of the PKCS#11 library. */
  readonly modulePath: string
  /** Label of the token. */
  readonly token: string
  /** Label (CKA_LABEL) of the key pair. */
  readonly key: string
  readonly pinFile: string
}

export interface VaultPlace {
  readonly kind: 'vault'
  /** Origin, `https://host:port`; plain http only to this machine. */
  readonly address: string
  readonly caFile?: string | undefined
  /** Path of the transit engine. @default transit */
  readonly mount: string
  readonly key: string
  /** Undefined: the latest. */
  readonly version?: number | undefined
  /** Vault Enterprise and OpenBao. */
  readonly namespace?: string | undefined
  readonly login:
    | { readonly kind: 'token'; readonly tokenFile: string }
    | {
        readonly kind: 'kubernetes'
        /** Path of the auth method. @default kubernetes */
        readonly mount: string
        readonly role: string
        /** The token of the service account. */
        readonly jwtFile: string
      }
}

/** A service that speaks the signing protocol, over mutual TLS or a Unix socket. */
export interface HttpPlace {
  readonly kind: 'http'
  readonly endpoint:
    | { readonly socketPath: string }
    | {
        /** `https://host:port`, with a path or without. */
        readonly url: string
        /** The certificate authority of the service, PEM. */
        readonly caFile: string
        /** The certificate that this process shows, PEM. */
        readonly certFile: string
        readonly keyFile: string
      }
}
