package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// ready is the line of JSON that `up` prints when the cluster is ready.
type ready struct {
	Kubeconfig string `json:"kubeconfig"`
	Server     string `json:"server"`
	// CAFile holds the certificate of the authority that signed the server's.
	CAFile string `json:"caFile"`
	// Token is the bearer token of admin, in the group system:masters.
	Token string `json:"token"`
	// Dir holds the data, keys and logs.
	Dir          string `json:"dir"`
	ReadyAfterMs int64  `json:"readyAfterMs"`
}

type options struct {
	dir string
	// nodes is the number of simulated nodes.
	nodes int
	// kubelets are the names of real nodes, for which credentials are made. Their kubelets are started by others.
	kubelets []string
	// address is the one that the API server listens on.
	address netip.Addr
	// autoscalerPeriod is the time between two looks of the autoscaler at its metrics; 0 for the default.
	autoscalerPeriod time.Duration
	// whileStdinOpen stops the cluster when standard input closes, as it does when its starter ends.
	whileStdinOpen bool
}

// up runs until SIGTERM or SIGINT, or until a component ends, and then stops everything. Its exit
// code is 0 only after a signal or the end of standard input.
func up() int {
	// Children die with the thread that started them, see startChild.
	runtime.LockOSThread()
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder for data, keys and logs; a temporary one when empty")
	flag.IntVar(&o.nodes, "nodes", 3, "number of simulated nodes")
	flag.Func("kubelets", "names of real nodes, separated by commas; their kubelets are started by others", func(names string) error {
		o.kubelets = strings.Split(names, ",")
		return nil
	})
	flag.TextVar(&o.address, "address", netip.AddrFrom4([4]byte{127, 0, 0, 1}), "address of the API server; pods need one that is not loopback")
	flag.DurationVar(&o.autoscalerPeriod, "autoscaler-period", 0, "time between two looks of the autoscaler at its metrics; 0 for the default")
	flag.BoolVar(&o.whileStdinOpen, "while-stdin-open", false, "stop when standard input ends")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if o.whileStdinOpen {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	if err := run(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "cluster-harness:", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, o options) error {
	started := time.Now()
	dir, err := workFolder(o.dir)
	if err != nil {
		return err
	}
	if o.dir == "" {
		defer os.RemoveAll(dir)
	}
	port, err := reservePort(o.address)
	if err != nil {
		return err
	}
	answer := ready{
		Server: "https://" + netip.AddrPortFrom(o.address, uint16(port)).String(),
		CAFile: filepath.Join(dir, "pki", "ca.crt"),
		Token:  rand.Text(),
		Dir:    dir,
	}
	pki := filepath.Join(dir, "pki")
	if err := makeCredentials(pki, answer, o); err != nil {
		return err
	}
	answer.Kubeconfig = kubeconfigPath(pki, "admin")

	cluster, err := newCluster(dir, port, answer, o)
	if err != nil {
		return err
	}
	defer cluster.stop()
	if err := cluster.start(ctx); err != nil {
		return err
	}
	answer.ReadyAfterMs = time.Since(started).Milliseconds()
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		return err
	}
	return cluster.wait(ctx)
}

func workFolder(requested string) (string, error) {
	if requested == "" {
		made, err := os.MkdirTemp("", "cluster-harness-")
		if err != nil {
			return "", err
		}
		requested = made
	}
	dir, err := filepath.Abs(requested)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(filepath.Join(dir, "logs"), 0o700)
}
