// Init is the first process of a world: new network, mount, process and IPC namespaces in which nodes run. It
// prepares the namespaces, runs the command that its arguments name, reaps processes whose parents ended, and ends
// with the command, or when its standard input ends. The kernel then kills every other process of the world.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// The exit code when standard input ends before the command.
const interrupted = 130

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "world:", err)
	}
	os.Exit(code)
}

func run(command []string) (int, error) {
	if len(command) == 0 || os.Getpid() != 1 {
		return 2, errors.New("usage: unshare --net --mount --pid --ipc --fork init COMMAND [arguments]")
	}
	if err := prepareMounts(); err != nil {
		return 1, err
	}
	if err := prepareNetwork(); err != nil {
		return 1, err
	}
	started, err := start(command)
	if err != nil {
		return 1, err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(interrupted)
	}()
	return reapUntil(started)
}

func start(command []string) (int, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return 0, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	return syscall.ForkExec(path, command, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{null.Fd(), os.Stdout.Fd(), os.Stderr.Fd()},
	})
}

// reapUntil returns the exit code of the process.
func reapUntil(process int) (int, error) {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 1, fmt.Errorf("wait for processes: %w", err)
		case ended == process && status.Signaled():
			return 128 + int(status.Signal()), nil
		case ended == process:
			return status.ExitStatus(), nil
		}
	}
}
