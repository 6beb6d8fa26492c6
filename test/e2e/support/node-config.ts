/** The settings of the programs of a node. Every world has a network of its own, so addresses and ports are fixed. */

/** Both nodes have it, on the loopback interface. test/e2e/node/init/network.go has the same. */
export const NODE_ADDRESS = '10.255.0.1'
export const DNS_ADDRESS = '10.96.0.10'
export const PAUSE_IMAGE = 'localhost/pause:1'
export const POD_NETWORK = '10.244.0.0/16'

export interface NodePlan {
  readonly name: string
  /** From 1. */
  readonly number: number
  /** Data; removed after the run. */
  readonly folder: string
  /** Sockets and mounts: on the memory file system of the world, since a socket's path may have 107 bytes. */
  readonly runFolder: string
  readonly pki: string
  readonly cgroup: string
  readonly cniPlugins: string
}

/** The network of a node's pods; more plugins can be added to its list. */
export const networkFile = ({ folder }: NodePlan): string => `${folder}/cni/10-bridge.conflist`

export const containerdSocket = ({ runFolder }: NodePlan): string => `${runFolder}/containerd.sock`

export const containerdSettings = (plan: NodePlan): string => `version = 2
root = "${plan.folder}/containerd"
state = "${plan.runFolder}/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "${containerdSocket(plan)}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${plan.folder}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # Inside a container, root may not lower a process's OOM score below its own.
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${plan.cniPlugins}"
    conf_dir = "${plan.folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`

/** One bridge a node. The kernel routes between them, without address translation: policies see the pods' own. */
export const cniSettings = (plan: NodePlan): string =>
  JSON.stringify({
    cniVersion: '1.0.0',
    name: plan.name,
    plugins: [
      {
        type: 'bridge',
        bridge: `cni${plan.number}`,
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: `${plan.runFolder}/addresses`,
          ranges: [[{ subnet: `10.244.${plan.number}.0/24` }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  })

/** @see https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ */
export const kubeletSettings = (plan: NodePlan): string =>
  JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: NODE_ADDRESS,
    port: 10_250 + plan.number,
    healthzBindAddress: '127.0.0.1',
    healthzPort: 10_260 + plan.number,
    readOnlyPort: 0,
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    // With the same root each kubelet would remove the cgroups of the other one's pods.
    cgroupRoot: plan.cgroup,
    containerRuntimeEndpoint: `unix://${containerdSocket(plan)}`,
    podLogsDir: `${plan.folder}/pod-logs`,
    volumePluginDir: `${plan.folder}/volume-plugins`,
    failSwapOn: false,
    tlsCertFile: `${plan.pki}/${plan.name}-server.crt`,
    tlsPrivateKeyFile: `${plan.pki}/${plan.name}-server.key`,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${plan.pki}/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    clusterDomain: 'cluster.local',
    clusterDNS: [DNS_ADDRESS],
    resolvConf: `${plan.folder}/resolv.conf`,
    // The machine's disk is not the tests' matter: no image is removed and no pod evicted for it.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1Gi' },
    serializeImagePulls: false,
    nodeStatusUpdateFrequency: '10s',
    // Mounted Secrets and ConfigMaps follow their objects within this time, instead of a minute.
    syncFrequency: '5s',
    // A crash loop waits at most this long between two starts, instead of five minutes.
    crashLoopBackOff: { maxContainerRestartPeriod: '10s' },
    maxPods: 60,
    enableServer: true,
  })

/** One for both nodes, since they share a kernel. */
export const kubeProxySettings = (pki: string): string =>
  JSON.stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: `${pki}/kube-proxy.kubeconfig` },
    mode: 'iptables',
    clusterCIDR: POD_NETWORK,
    hostnameOverride: 'n1',
    bindAddress: NODE_ADDRESS,
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    nodePortAddresses: [`${NODE_ADDRESS}/32`],
    // The kernel's limits of connections belong to the machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    iptables: { minSyncPeriod: '200ms', syncPeriod: '30s', localhostNodePorts: false },
  })
