package main

import (
	"time"

	core "k8s.io/api/core/v1"
)

// outcome is what a node reports about a pod.
type outcome string

const (
	// running and ready.
	running outcome = "run"
	// running, and its readiness probe fails.
	notReady outcome = "not-ready"
	// crashing is waiting to be started again after it ended with exit code 1.
	crashing outcome = "crash-loop"
	// imageMissing waits for an image that cannot be pulled.
	imageMissing outcome = "image-pull-error"
	// succeeded ended with exit code 0, for good.
	succeeded outcome = "succeed"
	// failed ended with exit code 1, for good.
	failed outcome = "fail"
)

// What a test may write on a pod, or on its namespace for all pods in it; the pod's counts first.
const (
	// The label with which nodes leave a pod alone: the test runs it and reports its status.
	runByLabel = "svc.dev/run-by"
	runByTest  = "test"
	// On a pod only: one of the outcomes above.
	outcomeAnnotation = "fake-node.svc.dev/outcome"
	// On a namespace only: the outcome of pods that stay and of pods that end, as those of Jobs.
	servicesAnnotation = "fake-node.svc.dev/services"
	jobsAnnotation     = "fake-node.svc.dev/jobs"
	// The time from bound to the outcome, as Go writes durations: 500ms, 2s.
	afterAnnotation = "fake-node.svc.dev/after"
	// What a container that ended with exit code 1 wrote as its termination message.
	messageAnnotation = "fake-node.svc.dev/message"
)

const defaultAfter = 100 * time.Millisecond

// plan is what to do with a pod that is not being deleted.
type plan struct {
	outcome outcome
	after   time.Duration
	message string
	// hands off: somebody else reports on this pod.
	handsOff bool
}

// planPod needs no namespace: one that is not known yet has asked for nothing.
func planPod(pod *core.Pod, namespace *core.Namespace) plan {
	if namespace == nil {
		namespace = &core.Namespace{}
	}
	if pod.Labels[runByLabel] == runByTest || namespace.Labels[runByLabel] == runByTest {
		return plan{handsOff: true}
	}
	wish := func(name string) string {
		if own := pod.Annotations[name]; own != "" {
			return own
		}
		return namespace.Annotations[name]
	}
	after, err := time.ParseDuration(wish(afterAnnotation))
	if err != nil {
		after = defaultAfter
	}
	return plan{outcome: outcomeOf(pod, namespace), after: after, message: wish(messageAnnotation)}
}

func outcomeOf(pod *core.Pod, namespace *core.Namespace) outcome {
	if own := pod.Annotations[outcomeAnnotation]; own != "" {
		return outcome(own)
	}
	kind, usual := servicesAnnotation, running
	if pod.Spec.RestartPolicy != core.RestartPolicyAlways {
		kind, usual = jobsAnnotation, succeeded
	}
	if all := namespace.Annotations[kind]; all != "" {
		return outcome(all)
	}
	return usual
}
