package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// The addresses of a world. Every world has a network of its own, so they are the same in each.
// test/e2e/support/node.ts has the same.
const (
	nodeAddress = "10.255.0.1/32"
	podNetwork  = "10.244.0.0/16"
	// The two ends of the cable between the nodes and a machine outside of the cluster.
	insideEnd  = "10.254.0.1/24"
	outsideEnd = "10.254.0.2/24"
	// The name for `ip netns exec`, and of the file below /run/netns.
	outside = "outside"
)

// kernelNetworkSettings have a value for each network namespace.
var kernelNetworkSettings = map[string]string{
	"net/ipv4/ip_forward": "1",
	// Lets rules see packets between two pods of one bridge. Absent when the module br_netfilter is not loaded.
	"net/bridge/bridge-nf-call-iptables": "1",
}

func prepareNetwork() error {
	// A network namespace belongs to a thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	inside, err := netns.Get()
	if err != nil {
		return err
	}
	defer inside.Close()
	if err := errors.Join(up("lo"), address("lo", nodeAddress), setKernel()); err != nil {
		return err
	}
	other, err := netns.NewNamed(outside)
	if err != nil {
		return fmt.Errorf("network namespace %s: %w", outside, err)
	}
	defer other.Close()
	if err := errors.Join(up("lo"), netns.Set(inside), connect(other)); err != nil {
		return err
	}
	// Without a route a process on the nodes could not send to a Service, whose address only rules know.
	if err := route("outside", "0.0.0.0/0", outsideEnd, nodeAddress); err != nil {
		return err
	}
	if err := netns.Set(other); err != nil {
		return err
	}
	return errors.Join(
		address("eth0", outsideEnd), up("eth0"),
		route("eth0", nodeAddress, insideEnd, ""), route("eth0", podNetwork, insideEnd, ""),
		netns.Set(inside),
	)
}

// connect makes the pair of interfaces `outside` here and `eth0` there.
func connect(there netns.NsHandle) error {
	link := netlink.NewLinkAttrs()
	link.Name = "outside"
	err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: link, PeerName: "eth0", PeerNamespace: netlink.NsFd(there)})
	if err != nil {
		return fmt.Errorf("pair of interfaces: %w", err)
	}
	return errors.Join(address("outside", insideEnd), up("outside"))
}

func up(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("interface %s: %w", name, err)
	}
	return netlink.LinkSetUp(link)
}

func address(name, cidr string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("interface %s: %w", name, err)
	}
	parsed, err := netlink.ParseAddr(cidr)
	if err != nil {
		return err
	}
	return netlink.AddrAdd(link, parsed)
}

// route sends what is for the network to the gateway, with the given source address unless it is empty.
func route(name, network, gateway, source string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("interface %s: %w", name, err)
	}
	_, target, err := net.ParseCIDR(network)
	if err != nil {
		return err
	}
	next, _, err := net.ParseCIDR(gateway)
	if err != nil {
		return err
	}
	added := netlink.Route{LinkIndex: link.Attrs().Index, Dst: target, Gw: next}
	if source != "" {
		if added.Src, _, err = net.ParseCIDR(source); err != nil {
			return err
		}
	}
	if err := netlink.RouteAdd(&added); err != nil {
		return fmt.Errorf("route to %s through %s: %w", network, name, err)
	}
	return nil
}

func setKernel() error {
	for name, value := range kernelNetworkSettings {
		err := os.WriteFile("/proc/sys/"+name, []byte(value), 0)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
