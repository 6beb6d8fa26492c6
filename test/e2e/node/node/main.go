// Node is the kubelet and kube-proxy in one binary.
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// commands return an exit code and read os.Args themselves.
var commands = map[string]func() int{
	"kubelet":    func() int { return cli.Run(kubelet.NewKubeletCommand(context.Background())) },
	"kube-proxy": func() int { return cli.Run(proxy.NewProxyCommand()) },
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: node kubelet|kube-proxy [flags]")
		os.Exit(2)
	}
	os.Args = os.Args[1:]
	os.Exit(commands[os.Args[0]]())
}
