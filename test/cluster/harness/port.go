package main

import (
	"fmt"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// reservePort binds a free port of the address without listening, and keeps it for the life of this process.
// Another process cannot take it before the API server listens; the API server can, since it binds with
// SO_REUSEPORT, too.
func reservePort(address netip.Addr) (int, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("reserve a port: %w", err)
	}
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, fmt.Errorf("reserve a port: %w", err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: address.As4()}); err != nil {
		return 0, fmt.Errorf("reserve a port: %w", err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		return 0, fmt.Errorf("reserve a port: %w", err)
	}
	return name.(*syscall.SockaddrInet4).Port, nil
}
