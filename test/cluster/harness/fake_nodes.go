package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
)

const (
	nodePrefix = "fake-"
	leases     = "kube-node-lease"
	// Far below the grace period of the controllers, see controllerManagerFlags.
	heartbeatEvery = time.Minute
)

func nodeName(index int) string { return fmt.Sprint(nodePrefix, index) }

func onFakeNode(pod *core.Pod) bool { return strings.HasPrefix(pod.Spec.NodeName, nodePrefix) }

// fakeNodes registers simulated nodes and reports the status of the pods that the scheduler binds to them,
// as a kubelet does. It runs no container.
func fakeNodes() int {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig of the API server")
	count := flag.Int("count", 1, "number of nodes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := runFakeNodes(ctx, *kubeconfig, *count); err != nil {
		fmt.Fprintln(os.Stderr, "fake-nodes:", err)
		return 1
	}
	return 0
}

func runFakeNodes(ctx context.Context, kubeconfig string, count int) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 5000, 5000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for index := range count {
		if err := register(ctx, client, index); err != nil {
			return err
		}
	}
	go runPods(ctx, client)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(heartbeatEvery):
			for index := range count {
				if err := renew(ctx, client, nodeName(index)); err != nil {
					fmt.Fprintln(os.Stderr, "fake-nodes: heartbeat failed, will retry:", err)
				}
			}
		}
	}
}

func register(ctx context.Context, client kubernetes.Interface, index int) error {
	name := nodeName(index)
	lease := &coordination.Lease{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: leases},
		Spec:       leaseSpec(name),
	}
	if _, err := client.CoordinationV1().Leases(leases).Create(ctx, lease, meta.CreateOptions{}); err != nil {
		return err
	}
	_, err := client.CoreV1().Nodes().Create(ctx, newNode(index), meta.CreateOptions{})
	return err
}

func renew(ctx context.Context, client kubernetes.Interface, name string) error {
	lease, err := client.CoordinationV1().Leases(leases).Get(ctx, name, meta.GetOptions{})
	if err != nil {
		return err
	}
	lease.Spec = leaseSpec(name)
	_, err = client.CoordinationV1().Leases(leases).Update(ctx, lease, meta.UpdateOptions{})
	return err
}

func leaseSpec(holder string) coordination.LeaseSpec {
	return coordination.LeaseSpec{
		HolderIdentity:       ptr.To(holder),
		LeaseDurationSeconds: ptr.To(int32(40)),
		RenewTime:            ptr.To(meta.NewMicroTime(time.Now())),
	}
}

// newNode has more capacity than any test needs. Each node is in a zone of its own.
func newNode(index int) *core.Node {
	name := nodeName(index)
	capacity := core.ResourceList{
		core.ResourceCPU:              resource.MustParse("4000"),
		core.ResourceMemory:           resource.MustParse("64Ti"),
		core.ResourceEphemeralStorage: resource.MustParse("64Ti"),
		core.ResourcePods:             resource.MustParse("20k"),
	}
	now := meta.Now()
	return &core.Node{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{
			core.LabelHostname:     name,
			core.LabelOSStable:     "linux",
			core.LabelArchStable:   "amd64",
			core.LabelTopologyZone: fmt.Sprint("zone-", index),
		}},
		Status: core.NodeStatus{
			Capacity:    capacity,
			Allocatable: capacity,
			Addresses:   []core.NodeAddress{{Type: core.NodeInternalIP, Address: "127.0.0.1"}},
			NodeInfo:    core.NodeSystemInfo{KubeletVersion: "fake", OperatingSystem: "linux", Architecture: "amd64"},
			Conditions: []core.NodeCondition{{
				Type: core.NodeReady, Status: core.ConditionTrue, Reason: "Simulated",
				LastHeartbeatTime: now, LastTransitionTime: now,
			}},
		},
	}
}
