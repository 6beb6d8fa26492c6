package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus-operator/prometheus-operator/pkg/assets"
	monitoringclient "github.com/prometheus-operator/prometheus-operator/pkg/client/versioned"
	monitoringinformers "github.com/prometheus-operator/prometheus-operator/pkg/informers"
	"github.com/prometheus-operator/prometheus-operator/pkg/namespacelabeler"
	"github.com/prometheus-operator/prometheus-operator/pkg/operator"
	"github.com/prometheus-operator/prometheus-operator/pkg/prometheus"
	metrics "github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
)

// resources are the objects that the selectors of a Prometheus object select and the operator accepts.
type resources struct {
	serviceMonitors map[string]*monitoringv1.ServiceMonitor
	podMonitors     map[string]*monitoringv1.PodMonitor
	// rules by file name
	rules map[string]string
}

const syncTimeout = 60 * time.Second

func selectResources(ctx context.Context, kubeconfig string, wanted *monitoringv1.Prometheus) (*resources, kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	monitors, err := monitoringclient.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	namespaces := informers.NewSharedInformerFactory(client, 0).Core().V1().Namespaces().Informer()
	go namespaces.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), namespaces.HasSynced) {
		return nil, nil, fmt.Errorf("the API server did not list its namespaces within %s", syncTimeout)
	}
	list := &lister{ctx: ctx, client: monitors}
	selected := &resources{}
	if err := selected.selectMonitors(ctx, wanted, client, namespaces, list); err != nil {
		return nil, nil, err
	}
	if err := selected.selectRules(wanted, namespaces, list); err != nil {
		return nil, nil, err
	}
	return selected, client, nil
}

func (selected *resources) selectMonitors(
	ctx context.Context, wanted *monitoringv1.Prometheus, client kubernetes.Interface,
	namespaces cache.SharedIndexInformer, list *lister,
) error {
	store := assets.NewStoreBuilder(client.CoreV1(), client.CoreV1())
	selector, err := prometheus.NewResourceSelector(
		slog.Default(), wanted, store, namespaces, operator.NewMetrics(metrics.NewRegistry()), discardEvents(),
	)
	if err != nil {
		return err
	}
	services, err := list.of(monitoringv1.ServiceMonitorName)
	if err != nil {
		return err
	}
	pods, err := list.of(monitoringv1.PodMonitorName)
	if err != nil {
		return err
	}
	// A Prometheus without a selector selects nothing.
	if wanted.Spec.ServiceMonitorSelector != nil {
		found, err := selector.SelectServiceMonitors(ctx, services.ListAllByNamespace)
		if err != nil {
			return err
		}
		selected.serviceMonitors = found.ValidResources()
	}
	if wanted.Spec.PodMonitorSelector != nil {
		found, err := selector.SelectPodMonitors(ctx, pods.ListAllByNamespace)
		if err != nil {
			return err
		}
		selected.podMonitors = found.ValidResources()
	}
	return nil
}

func (selected *resources) selectRules(
	wanted *monitoringv1.Prometheus, namespaces cache.SharedIndexInformer, list *lister,
) error {
	if wanted.Spec.RuleSelector == nil {
		return nil
	}
	rules, err := list.of(monitoringv1.PrometheusRuleName)
	if err != nil {
		return err
	}
	labeler := namespacelabeler.New(wanted.Spec.EnforcedNamespaceLabel, wanted.Spec.ExcludedFromEnforcement, true)
	selector, err := operator.NewPrometheusRuleSelector(
		operator.PrometheusFormat, wanted.Spec.Version, wanted.Spec.RuleSelector, labeler, rules, discardEvents(), slog.Default(),
	)
	if err != nil {
		return err
	}
	in := []string{wanted.Namespace}
	if wanted.Spec.RuleNamespaceSelector != nil {
		matching, err := metav1.LabelSelectorAsSelector(wanted.Spec.RuleNamespaceSelector)
		if err != nil {
			return err
		}
		if in, err = operator.ListMatchingNamespaces(matching, namespaces); err != nil {
			return err
		}
	}
	found, rejected, err := selector.Select(in)
	if err != nil {
		return err
	}
	if rejected > 0 {
		return fmt.Errorf("the operator rejects %d PrometheusRules", rejected)
	}
	selected.rules = found
	return nil
}

// lister reads the objects of a kind once, into the caches that the operator reads.
type lister struct {
	ctx    context.Context
	client monitoringclient.Interface
}

func (l *lister) of(kind string) (*monitoringinformers.ForResource, error) {
	everywhere := map[string]struct{}{v1.NamespaceAll: {}}
	factories := monitoringinformers.NewMonitoringInformerFactories(everywhere, nil, l.client, 0, nil)
	found, err := monitoringinformers.NewInformersForResource(factories, monitoringv1.SchemeGroupVersion.WithResource(kind))
	if err != nil {
		return nil, err
	}
	found.Start(l.ctx.Done())
	for _, informer := range found.GetInformers() {
		if !cache.WaitForCacheSync(l.ctx.Done(), informer.Informer().HasSynced) {
			return nil, fmt.Errorf("the API server did not list %s.%s within %s", kind, monitoring.GroupName, syncTimeout)
		}
	}
	return found, nil
}

// A rejected object is logged; nothing reads the events.
func discardEvents() record.EventRecorder { return record.NewFakeRecorder(1000) }
