package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// privateFolders are those that containerd, the CNI plugins and the kubelet use whatever their settings say.
var privateFolders = []string{"/run", "/var/lib/cni", "/var/lib/kubelet", "/var/log/containers"}

// kernelSettings are what a kubelet sets. They have no namespace: a kubelet that finds the value it wants in the
// file does not set it, and the machine keeps its own.
var kernelSettings = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

func prepareMounts() error {
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	for _, folder := range privateFolders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "mode=755"); err != nil {
			return fmt.Errorf("mount %s: %w", folder, err)
		}
	}
	return shadowKernelSettings("/run/kernel-settings")
}

func shadowKernelSettings(folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, value := range kernelSettings {
		shadow := filepath.Join(folder, strings.ReplaceAll(name, "/", "."))
		if err := os.WriteFile(shadow, []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		if err := syscall.Mount(shadow, "/proc/sys/"+name, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount %s over /proc/sys/%s: %w", shadow, name, err)
		}
	}
	return nil
}
