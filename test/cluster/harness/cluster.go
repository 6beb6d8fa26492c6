package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// A start takes 4 s on two idle cores, and longer on a busy machine.
	readyTimeout = 3 * time.Minute
	pollInterval = 50 * time.Millisecond
	// The bytes of its log that are printed when a component ends by itself.
	logTail = 4000
)

// cluster holds the running components: etcd in this process and the others as children.
type cluster struct {
	dir, pki string
	port     int
	answer   ready
	options  options
	admin    *http.Client
	etcd     *embed.Etcd
	children []*child
}

func newCluster(dir string, port int, answer ready, o options) (*cluster, error) {
	admin, err := httpClient(answer.CAFile)
	if err != nil {
		return nil, err
	}
	return &cluster{dir: dir, pki: filepath.Join(dir, "pki"), port: port, answer: answer, options: o, admin: admin}, nil
}

// start starts the components in the order of their dependencies.
func (c *cluster) start(ctx context.Context) error {
	etcd, etcdURL, err := startEtcd(c.dir)
	if err != nil {
		return err
	}
	c.etcd = etcd
	if err := c.run("kube-apiserver", apiServerFlags(c.pki, c.port, etcdURL, c.options)); err != nil {
		return err
	}
	if err := c.until(ctx, "/readyz"); err != nil {
		return err
	}
	err = errors.Join(
		c.run("kube-controller-manager", controllerManagerFlags(c.pki, c.options)),
		c.run("kube-scheduler", schedulerFlags(c.pki)),
	)
	if err != nil {
		return err
	}
	// The controllers run once there is a service account. No pod can be created without one.
	if err := c.until(ctx, "/api/v1/namespaces/default/serviceaccounts/default"); err != nil {
		return err
	}
	if c.options.nodes == 0 {
		return nil
	}
	flags := []string{"--kubeconfig=" + kubeconfigPath(c.pki, "nodes"), "--count=" + strconv.Itoa(c.options.nodes)}
	if err := c.run("fake-nodes", flags); err != nil {
		return err
	}
	return c.until(ctx, "/api/v1/nodes/"+nodeName(c.options.nodes-1))
}

func (c *cluster) run(name string, flags []string) error {
	started, err := startChild(c.dir, name, flags...)
	if err != nil {
		return err
	}
	c.children = append(c.children, started)
	return nil
}

// until polls the path until the answer is 200, a component ends or the time is over.
func (c *cluster) until(ctx context.Context, path string) error {
	deadline := time.Now().Add(readyTimeout)
	for {
		err := c.get(ctx, path)
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not ready after %s: %w", readyTimeout, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
		if err := c.endedComponent(); err != nil {
			return err
		}
	}
}

func (c *cluster) get(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.answer.Server+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.answer.Token)
	response, err := c.admin.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", path, response.Status)
	}
	return nil
}

// wait returns nil when the context ends, and an error when a component ends before.
func (c *cluster) wait(ctx context.Context) error {
	anyEnded := make(chan struct{}, len(c.children))
	for _, each := range c.children {
		go func() {
			<-each.ended
			anyEnded <- struct{}{}
		}()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-c.etcd.Err():
		return fmt.Errorf("etcd ended: %w", err)
	case <-anyEnded:
		return c.endedComponent()
	}
}

func (c *cluster) endedComponent() error {
	for _, each := range c.children {
		select {
		case <-each.ended:
			log, _ := os.ReadFile(each.logPath)
			return fmt.Errorf("%s ended; its log ends with:\n%s", each.name, log[max(0, len(log)-logTail):])
		default:
		}
	}
	return nil
}

// stop stops the components in reverse order.
func (c *cluster) stop() {
	for i := len(c.children) - 1; i >= 0; i-- {
		c.children[i].kill()
	}
	if c.etcd != nil {
		c.etcd.Close()
	}
}

func httpClient(caFile string) (*http.Client, error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	return &http.Client{Timeout: 5 * time.Second, Transport: transport}, nil
}
