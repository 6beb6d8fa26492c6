package main

import (
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

// The names of a cluster end in this; see https://github.com/kubernetes/dns/blob/master/docs/specification.md
const clusterDomain = ".cluster.local."

type zone struct {
	services corelisters.ServiceLister
	slices   discoverylisters.EndpointSliceLister
}

// answer returns REFUSED for a name outside of the cluster, NXDOMAIN for one that does not exist, and no records
// for one without a record of that type.
func (z zone) answer(question dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.Resource) {
	name := strings.ToLower(question.Name.String())
	rest, isOurs := strings.CutSuffix(name, clusterDomain)
	if !isOurs {
		return dnsmessage.RCodeRefused, nil
	}
	// [pod.]service.namespace.svc
	parts := strings.Split(rest, ".")
	count := len(parts)
	if count < 3 || count > 4 || parts[count-1] != "svc" {
		return dnsmessage.RCodeNameError, nil
	}
	service, err := z.services.Services(parts[count-2]).Get(parts[count-3])
	if err != nil {
		return dnsmessage.RCodeNameError, nil
	}
	pod := ""
	if count == 4 {
		pod = parts[0]
	}
	if service.Spec.Type == core.ServiceTypeExternalName && pod == "" {
		return dnsmessage.RCodeSuccess, canonical(question.Name, service.Spec.ExternalName)
	}
	addresses := z.addresses(service, pod)
	if len(addresses) == 0 && (pod != "" || service.Spec.ClusterIP == core.ClusterIPNone) {
		return dnsmessage.RCodeNameError, nil
	}
	if question.Type != dnsmessage.TypeA {
		return dnsmessage.RCodeSuccess, nil
	}
	return dnsmessage.RCodeSuccess, hosts(question.Name, addresses)
}

// addresses are the Service's own one, or those of the ready pods behind a headless Service.
func (z zone) addresses(service *core.Service, pod string) []string {
	if service.Spec.ClusterIP != core.ClusterIPNone {
		if pod != "" {
			return nil
		}
		return []string{service.Spec.ClusterIP}
	}
	selected, err := z.slices.EndpointSlices(service.Namespace).List(
		labels.SelectorFromSet(labels.Set{discovery.LabelServiceName: service.Name}))
	if err != nil {
		return nil
	}
	var found []string
	for _, slice := range selected {
		for _, endpoint := range slice.Endpoints {
			ready := endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready
			named := pod == "" || endpoint.Hostname != nil && *endpoint.Hostname == pod
			if ready && named {
				found = append(found, endpoint.Addresses...)
			}
		}
	}
	return found
}

func hosts(name dnsmessage.Name, addresses []string) []dnsmessage.Resource {
	var records []dnsmessage.Resource
	for _, each := range addresses {
		if parsed, err := netip.ParseAddr(each); err == nil && parsed.Is4() {
			records = append(records, dnsmessage.Resource{
				Header: header(name, dnsmessage.TypeA),
				Body:   &dnsmessage.AResource{A: parsed.As4()},
			})
		}
	}
	return records
}

func canonical(name dnsmessage.Name, target string) []dnsmessage.Resource {
	full, err := dnsmessage.NewName(strings.TrimSuffix(target, ".") + ".")
	if err != nil {
		return nil
	}
	return []dnsmessage.Resource{{Header: header(name, dnsmessage.TypeCNAME), Body: &dnsmessage.CNAMEResource{CNAME: full}}}
}

func header(name dnsmessage.Name, kind dnsmessage.Type) dnsmessage.ResourceHeader {
	return dnsmessage.ResourceHeader{Name: name, Type: kind, Class: dnsmessage.ClassINET, TTL: ttlSeconds}
}
