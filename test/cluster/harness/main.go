// Cluster-harness is a Kubernetes control plane in one binary, for tests: etcd, the API server, the
// controllers, the scheduler, kubectl and simulated nodes, which run no container.
//
//	cluster-harness up [flags]   starts a cluster and prints one line of JSON when it is ready
//	cluster-harness kubectl …    runs kubectl; so does the same binary under the name kubectl
//
// `up` starts the other commands.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commands return an exit code. Those of Kubernetes read os.Args themselves.
var commands = map[string]func() int{
	"up":                      up,
	"fake-nodes":              fakeNodes,
	"kube-apiserver":          kubeAPIServer,
	"kube-controller-manager": kubeControllerManager,
	"kube-scheduler":          kubeScheduler,
	"kubectl":                 kubectl,
}

func main() {
	if run, ok := commands[filepath.Base(os.Args[0])]; ok {
		os.Exit(run())
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		var names []string
		for name := range commands {
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintln(os.Stderr, "usage: cluster-harness COMMAND [flags], where COMMAND is one of", strings.Join(names, ", "))
		os.Exit(2)
	}
	os.Args = os.Args[1:]
	os.Exit(commands[os.Args[0]]())
}
