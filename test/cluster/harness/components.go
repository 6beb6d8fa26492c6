package main

import (
	"path/filepath"
	"strconv"
)

// The client-side rate limit must not slow down the controllers and the nodes.
const unlimited = "5000"

func apiServerFlags(pki string, port int, etcdURL string) []string {
	in := func(file string) string { return filepath.Join(pki, file) }
	return []string{
		"--etcd-servers=" + etcdURL,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		// The port is reserved with SO_REUSEPORT, see reservePort.
		"--permit-port-sharing=true",
		// The endpoint of the kubernetes Service may not be a loopback address.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.96.0.0/12",
		"--client-ca-file=" + in("ca.crt"),
		"--tls-cert-file=" + in("apiserver.crt"),
		"--tls-private-key-file=" + in("apiserver.key"),
		"--token-auth-file=" + in("tokens.csv"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + in("service-accounts.pub"),
		"--service-account-signing-key-file=" + in("service-accounts.key"),
		"--authorization-mode=RBAC",
		"--profiling=false",
	}
}

func controllerManagerFlags(pki string) []string {
	config := kubeconfigPath(pki, "controllers")
	return []string{
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
