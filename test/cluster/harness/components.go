package main

import (
	"path/filepath"
	"strconv"
)

// aggregatorUser is the name in the certificate with which the API server calls the servers of aggregated APIs.
const aggregatorUser = "front-proxy"

// The client-side rate limit must not slow down the controllers and the nodes.
const unlimited = "5000"

func apiServerFlags(pki string, port int, etcdURL string, o options) []string {
	in := func(file string) string { return filepath.Join(pki, file) }
	flags := []string{
		"--etcd-servers=" + etcdURL,
		"--bind-address=" + o.address.String(),
		"--advertise-address=" + o.address.String(),
		"--secure-port=" + strconv.Itoa(port),
		// The port is reserved with SO_REUSEPORT, see reservePort.
		"--permit-port-sharing=true",
		"--service-cluster-ip-range=10.96.0.0/12",
		"--client-ca-file=" + in("ca.crt"),
		"--tls-cert-file=" + in("apiserver.crt"),
		"--tls-private-key-file=" + in("apiserver.key"),
		"--token-auth-file=" + in("tokens.csv"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + in("service-accounts.pub"),
		"--service-account-signing-key-file=" + in("service-accounts.key"),
		"--profiling=false",
	}
	if o.address.IsLoopback() {
		// The endpoint of the kubernetes Service may not be a loopback address.
		flags = append(flags, "--endpoint-reconciler-type=none")
	}
	if len(o.kubelets) == 0 {
		return append(flags, "--authorization-mode=RBAC")
	}
	return append(flags,
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--kubelet-client-certificate="+in("kubelet-client.crt"),
		"--kubelet-client-key="+in("kubelet-client.key"),
		"--kubelet-certificate-authority="+in("ca.crt"),
		"--kubelet-preferred-address-types=InternalIP",
		"--requestheader-client-ca-file="+in("ca.crt"),
		"--requestheader-allowed-names="+aggregatorUser,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+in("aggregator.crt"),
		"--proxy-client-key-file="+in("aggregator.key"),
		// This process is on the nodes' network, but a route to Service addresses is not certain there.
		"--enable-aggregator-routing=true",
	)
}

func controllerManagerFlags(pki string, o options) []string {
	config := kubeconfigPath(pki, "controllers")
	flags := []string{
		"--kubeconfig=" + config,
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--secure-port=0",
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + filepath.Join(pki, "service-accounts.key"),
		"--root-ca-file=" + filepath.Join(pki, "ca.crt"),
		// Heartbeats of the nodes may be late on a busy machine, and no test is about lost nodes.
		"--node-monitor-grace-period=10m",
		"--kube-api-qps=" + unlimited,
		"--kube-api-burst=" + unlimited,
	}
	if o.autoscalerPeriod == 0 {
		return flags
	}
	return append(flags,
		"--horizontal-pod-autoscaler-sync-period="+o.autoscalerPeriod.String(),
		// Without them a test waits five minutes for fewer pods, and five for the metrics of a new pod.
		"--horizontal-pod-autoscaler-downscale-stabilization="+(2*o.autoscalerPeriod).String(),
		"--horizontal-pod-autoscaler-cpu-initialization-period="+(2*o.autoscalerPeriod).String(),
		"--horizontal-pod-autoscaler-initial-readiness-delay="+o.autoscalerPeriod.String(),
	)
}

func schedulerFlags(pki string) []string {
	config := kubeconfigPath(pki, "scheduler")
	return []string{
		"--kubeconfig=" + config,
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--secure-port=0",
		"--leader-elect=false",
		"--kube-api-qps=" + unlimited,
		"--kube-api-burst=" + unlimited,
	}
}
