package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
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
	dir   string
	nodes int
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
	port, err := reservePort()
	if err != nil {
		return err
	}
	answer := ready{
		Server: "https://127.0.0.1:" + strconv.Itoa(port),
		CAFile: filepath.Join(dir, "pki", "ca.crt"),
		Token:  rand.Text(),
		Dir:    dir,
	}
	pki := filepath.Join(dir, "pki")
	if err := errors.Join(makeCredentials(pki, answer.Token), writeKubeconfigs(pki, answer.Server)); err != nil {
		return err
	}
	answer.Kubeconfig = kubeconfigPath(pki, "admin")

	cluster, err := newCluster(dir, port, answer)
	if err != nil {
		return err
	}
	defer cluster.stop()
	if err := cluster.start(ctx, o.nodes); err != nil {
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
