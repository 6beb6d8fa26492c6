package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// child is a command of this binary that runs as a process of its own.
type child struct {
	name    string
	logPath string
	process *exec.Cmd
	ended   chan struct{}
}

// startChild must be called on the locked main thread: the kernel kills the child when the thread that
// started it ends, so no child outlives this process, even when it is killed.
func startChild(dir string, name string, flags ...string) (*child, error) {
	logPath := filepath.Join(dir, "logs", name+".log")
	log, err := os.Create(logPath)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}

	process := exec.Command(self, append([]string{name}, flags...)...)
	process.Stdout, process.Stderr = log, log
	// In a process group of its own, so that Ctrl-C reaches the parent alone, which stops its children in order.
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	started := &child{name: name, logPath: logPath, process: process, ended: make(chan struct{})}
	go func() {
		// Its log has the cause.
		_ = process.Wait()
		close(started.ended)
	}()
	return started, nil
}

// kill does not wait for a graceful end, which takes the API server seconds: its data is deleted anyway.
func (c *child) kill() {
	_ = c.process.Process.Kill()
	<-c.ended
}
