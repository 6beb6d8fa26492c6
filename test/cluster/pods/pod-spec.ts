/** The fields of a pod that its node uses. */
export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec: {
    readonly nodeName?: string
    /** @default 'Always' */
    readonly restartPolicy?: string
    readonly terminationGracePeriodSeconds?: number
    readonly containers: readonly [Container, ...Container[]]
    readonly volumes?: readonly Volume[]
  }
  readonly status?: { readonly phase?: string }
}

export interface Container {
  readonly name: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly readinessProbe?: Probe
  readonly livenessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } }
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number }
}

interface Volume {
  readonly name: string
  readonly emptyDir?: object
  readonly projected?: {
    readonly defaultMode?: number
    readonly sources: readonly {
      readonly secret?: {
        readonly name: string
        readonly optional?: boolean
        readonly items?: readonly Item[]
      }
    }[]
  }
}

interface Item {
  readonly key: string
  readonly path: string
}
