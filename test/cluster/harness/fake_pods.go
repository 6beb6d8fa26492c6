package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
)

const podWorkers = 16

// kubelet reports the planned outcome of every pod on a fake node.
type kubelet struct {
	client     kubernetes.Interface
	pods       listers.PodLister
	namespaces listers.NamespaceLister
	queue      workqueue.TypedRateLimitingInterface[cache.ObjectName]

	lock  sync.Mutex
	known map[types.UID]*knownPod
	// addresses counts the pod addresses in use.
	addresses int
}

type knownPod struct {
	since    time.Time
	ip       string
	reported outcome
}

func runPods(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	pods, namespaces := factory.Core().V1().Pods(), factory.Core().V1().Namespaces()
	k := &kubelet{
		client:     client,
		pods:       pods.Lister(),
		namespaces: namespaces.Lister(),
		queue:      workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		known:      map[types.UID]*knownPod{},
	}
	_, podsErr := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { k.enqueue(pod.(*core.Pod)) },
		UpdateFunc: func(_, pod any) { k.enqueue(pod.(*core.Pod)) },
		DeleteFunc: k.forget,
	})
	_, namespacesErr := namespaces.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, namespace any) { k.enqueueAllIn(namespace.(*core.Namespace).Name) },
	})
	if podsErr != nil || namespacesErr != nil {
		fmt.Fprintln(os.Stderr, "fake-nodes: cannot watch:", podsErr, namespacesErr)
		os.Exit(1)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for range podWorkers {
		go k.work(ctx)
	}
	<-ctx.Done()
	k.queue.ShutDown()
}

func (k *kubelet) enqueue(pod *core.Pod) {
	if onFakeNode(pod) {
		k.queue.Add(cache.MetaObjectToName(pod))
	}
}

// enqueueAllIn handles a change of a namespace, whose annotations set the outcome of its pods.
func (k *kubelet) enqueueAllIn(namespace string) {
	pods, _ := k.pods.Pods(namespace).List(labels.Everything())
	for _, pod := range pods {
		k.enqueue(pod)
	}
}

func (k *kubelet) forget(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	if pod, ok := object.(*core.Pod); ok {
		k.lock.Lock()
		defer k.lock.Unlock()
		delete(k.known, pod.UID)
	}
}

func (k *kubelet) work(ctx context.Context) {
	for {
		name, shutDown := k.queue.Get()
		if shutDown {
			return
		}
		wait, err := k.sync(ctx, name)
		k.queue.Done(name)
		if err != nil {
			fmt.Fprintf(os.Stderr, "fake-nodes: %s, will retry: %v\n", name, err)
			k.queue.AddRateLimited(name)
			continue
		}
		k.queue.Forget(name)
		if wait > 0 {
			k.queue.AddAfter(name, wait)
		}
	}
}

// sync reports the status of a pod when it is due, and returns the time until then when it is not.
func (k *kubelet) sync(ctx context.Context, name cache.ObjectName) (time.Duration, error) {
	pod, err := k.pods.Pods(name.Namespace).Get(name.Name)
	if errors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	// A namespace that is not cached yet has no annotations.
	namespace, _ := k.namespaces.Get(name.Namespace)
	planned := planPod(pod, namespace)
	if pod.DeletionTimestamp != nil {
		return k.end(ctx, pod, planned)
	}
	if planned.runByTest || pod.Status.Phase == core.PodSucceeded || pod.Status.Phase == core.PodFailed {
		return 0, nil
	}
	known := k.knownPodOf(pod)
	if known.reported == planned.outcome {
		return 0, nil
	}
	if wait := time.Until(known.since.Add(planned.after)); wait > 0 {
		return wait, nil
	}
	if err := k.report(ctx, pod, reportOn(pod, planned, known.ip, meta.Now())); err != nil {
		return 0, err
	}
	known.reported = planned.outcome
	return 0, nil
}

// end deletes a pod that is being deleted: at once, or after its grace period when a test runs it.
func (k *kubelet) end(ctx context.Context, pod *core.Pod, planned plan) (time.Duration, error) {
	if wait := time.Until(pod.DeletionTimestamp.Time); planned.runByTest && wait > 0 {
		return wait, nil
	}
	err := k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, meta.DeleteOptions{
		GracePeriodSeconds: ptr.To(int64(0)),
		Preconditions:      &meta.Preconditions{UID: &pod.UID},
	})
	if errors.IsNotFound(err) || errors.IsConflict(err) {
		return 0, nil
	}
	return 0, err
}

// knownPodOf records a new pod and gives it an address. One worker at a time holds a pod and may change
// the returned value.
func (k *kubelet) knownPodOf(pod *core.Pod) *knownPod {
	k.lock.Lock()
	defer k.lock.Unlock()
	if known := k.known[pod.UID]; known != nil {
		return known
	}
	k.addresses++
	known := &knownPod{since: time.Now(), ip: fmt.Sprintf("10.%d.%d.%d", 128+k.addresses>>16, k.addresses>>8&255, k.addresses&255)}
	k.known[pod.UID] = known
	return known
}

// report patches the status of the pod with this uid, so that it does not conflict with other writers.
func (k *kubelet) report(ctx context.Context, pod *core.Pod, status core.PodStatus) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": pod.UID},
		"status":   status,
	})
	if err != nil {
		return err
	}
	_, err = k.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, meta.PatchOptions{}, "status")
	if errors.IsNotFound(err) || errors.IsConflict(err) {
		return nil
	}
	return err
}
