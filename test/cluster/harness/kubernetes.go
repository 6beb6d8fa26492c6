package main

import (
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func kubeAPIServer() int { return cli.Run(apiserver.NewAPIServerCommand()) }

func kubeControllerManager() int { return cli.Run(controllers.NewControllerManagerCommand()) }

func kubeScheduler() int { return cli.Run(scheduler.NewSchedulerCommand()) }

func kubectl() int {
	if err := cli.RunNoErrOutput(kubectlcmd.NewDefaultKubectlCommand()); err != nil {
		// Prints the error as kubectl does and exits.
		kubectlutil.CheckErr(err)
	}
	return 0
}
