package main

import (
	"errors"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd runs etcd inside this process, on free ports, and returns its client URL. It does not sync
// its data to disk.
func startEtcd(dir string) (*embed.Etcd, string, error) {
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.ListenClientUrls, config.AdvertiseClientUrls = anyPort, anyPort
	config.ListenPeerUrls, config.AdvertisePeerUrls = anyPort, anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = true
	// The gateway would dial the address above, whose port is not the one listened on.
	config.EnableGRPCGateway = false
	config.LogLevel = "warn"
	config.LogOutputs = []string{filepath.Join(dir, "logs", "etcd.log")}

	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, "", err
	}
	select {
	case <-server.Server.ReadyNotify():
		return server, "http://" + server.Clients[0].Addr().String(), nil
	case <-time.After(time.Minute):
		server.Close()
		return nil, "", errors.New("etcd was not ready after a minute")
	}
}
