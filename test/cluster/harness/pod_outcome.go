package main

import (
	"time"

	core "k8s.io/api/core/v1"
)

// outcome is the status of a pod that its node reports.
type outcome string

const (
	// running: Running and Ready.
	running outcome = "run"
	// notReady: Running, and not Ready.
	notReady outcome = "not-ready"
	// crashing: waiting for a restart after exit code 1.
	crashing outcome = "crash-loop"
	// imageMissing: waiting for an image that cannot be pulled.
	imageMissing outcome = "image-pull-error"
	// succeeded: ended with exit code 0.
	succeeded outcome = "succeed"
	// failed: ended with exit code 1.
	failed outcome = "fail"
)

// Labels and annotations that a test sets on a pod, or on a namespace for all pods in it; those of the pod win.
const (
	// The label of pods that a test runs: the test reports their status, the nodes do not.
	runByLabel = "svc.dev/run-by"
	runByTest  = "test"
	// On a pod only: one of the outcomes above.
	outcomeAnnotation = "fake-node.svc.dev/outcome"
	// On a namespace only: the outcome of long-running pods, and of pods that end, such as those of Jobs.
	servicesAnnotation = "fake-node.svc.dev/services"
	jobsAnnotation     = "fake-node.svc.dev/jobs"
	// The time from the binding to the outcome, as a Go duration: 500ms, 2s.
	afterAnnotation = "fake-node.svc.dev/after"
	// The termination message of a container that ended with exit code 1.
	messageAnnotation = "fake-node.svc.dev/message"
)

const defaultAfter = 100 * time.Millisecond

// plan is the next report on a pod that is not being deleted.
type plan struct {
	outcome outcome
	after   time.Duration
	message string
	// runByTest: the test reports the status of this pod.
	runByTest bool
}

// planPod takes a nil namespace as one without annotations.
func planPod(pod *core.Pod, namespace *core.Namespace) plan {
	if namespace == nil {
		namespace = &core.Namespace{}
	}
	if pod.Labels[runByLabel] == runByTest || namespace.Labels[runByLabel] == runByTest {
		return plan{runByTest: true}
	}
	annotation := func(name string) string {
		if own := pod.Annotations[name]; own != "" {
			return own
		}
		return namespace.Annotations[name]
	}
	after, err := time.ParseDuration(annotation(afterAnnotation))
	if err != nil {
		after = defaultAfter
	}
	return plan{outcome: outcomeOf(pod, namespace), after: after, message: annotation(messageAnnotation)}
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
