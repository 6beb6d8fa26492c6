package main

import (
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// reportOn returns the status of a pod that reached its planned outcome now.
func reportOn(pod *core.Pod, planned plan, ip string, now meta.Time) core.PodStatus {
	ready, phase := false, core.PodRunning
	switch planned.outcome {
	case running:
		ready = true
	case imageMissing:
		phase = core.PodPending
	case succeeded:
		phase = core.PodSucceeded
	case failed:
		phase = core.PodFailed
	}
	status := core.PodStatus{
		ObservedGeneration: pod.Generation,
		Phase:              phase,
		StartTime:          ptr.To(now),
		HostIP:             "127.0.0.1",
		HostIPs:            []core.HostIP{{IP: "127.0.0.1"}},
		PodIP:              ip,
		PodIPs:             []core.PodIP{{IP: ip}},
		Conditions:         conditionsOf(phase, ready, now),
	}
	for _, container := range pod.Spec.InitContainers {
		state := core.ContainerState{Terminated: &core.ContainerStateTerminated{
			Reason: "Completed", StartedAt: now, FinishedAt: now,
		}}
		if container.RestartPolicy != nil {
			state = core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: now}}
		}
		status.InitContainerStatuses = append(status.InitContainerStatuses, reportOnContainer(container, state, true))
	}
	for _, container := range pod.Spec.Containers {
		report := reportOnContainer(container, stateOf(planned, container.Image, now), ready)
		if planned.outcome == crashing {
			report.RestartCount = 1
			report.LastTerminationState.Terminated = crash(planned.message, now)
		}
		status.ContainerStatuses = append(status.ContainerStatuses, report)
	}
	return status
}

func reportOnContainer(container core.Container, state core.ContainerState, ready bool) core.ContainerStatus {
	return core.ContainerStatus{
		Name:        container.Name,
		Image:       container.Image,
		ImageID:     "fake",
		ContainerID: "fake://" + container.Name,
		Ready:       ready,
		Started:     ptr.To(state.Running != nil),
		State:       state,
	}
}

func stateOf(planned plan, image string, now meta.Time) core.ContainerState {
	switch planned.outcome {
	case crashing:
		return waiting("CrashLoopBackOff", "back-off 10s restarting failed container")
	case imageMissing:
		return waiting("ImagePullBackOff", "Back-off pulling image "+image)
	case succeeded:
		return core.ContainerState{Terminated: &core.ContainerStateTerminated{
			Reason: "Completed", StartedAt: now, FinishedAt: now,
		}}
	case failed:
		return core.ContainerState{Terminated: crash(planned.message, now)}
	default:
		return core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: now}}
	}
}

func waiting(reason string, message string) core.ContainerState {
	return core.ContainerState{Waiting: &core.ContainerStateWaiting{Reason: reason, Message: message}}
}

func crash(message string, now meta.Time) *core.ContainerStateTerminated {
	return &core.ContainerStateTerminated{
		ExitCode: 1, Reason: "Error", Message: message, StartedAt: now, FinishedAt: now,
	}
}

func conditionsOf(phase core.PodPhase, ready bool, now meta.Time) []core.PodCondition {
	reason := map[bool]string{true: "", false: "ContainersNotReady"}[ready]
	if phase == core.PodSucceeded {
		reason = "PodCompleted"
	}
	if phase == core.PodFailed {
		reason = "PodFailed"
	}
	is := map[bool]core.ConditionStatus{true: core.ConditionTrue, false: core.ConditionFalse}
	return []core.PodCondition{
		{Type: core.PodScheduled, Status: core.ConditionTrue, LastTransitionTime: now},
		{Type: core.PodInitialized, Status: core.ConditionTrue, LastTransitionTime: now},
		{Type: core.ContainersReady, Status: is[ready], Reason: reason, LastTransitionTime: now},
		{Type: core.PodReady, Status: is[ready], Reason: reason, LastTransitionTime: now},
	}
}
