package main

import (
	"encoding/binary"
	"io"
	"net"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	// Longer answers need TCP. The pods' resolvers accept more, but none of these answers needs it.
	maxPacket = 1232
	// A client keeps an idle connection at most this long.
	idleTimeout = 10 * time.Second
	// How long a resolver may keep an answer: short, since tests replace pods.
	ttlSeconds = 2
)

func servePackets(socket net.PacketConn, zone zone) {
	buffer := make([]byte, maxPacket)
	for {
		size, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return
		}
		if answer, err := reply(buffer[:size], zone); err == nil {
			if len(answer) > maxPacket {
				answer = truncated(answer)
			}
			_, _ = socket.WriteTo(answer, from)
		}
	}
}

func serveStreams(listener net.Listener, zone zone) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go serveStream(connection, zone)
	}
}

func serveStream(connection net.Conn, zone zone) {
	defer connection.Close()
	for {
		_ = connection.SetDeadline(time.Now().Add(idleTimeout))
		var size uint16
		if binary.Read(connection, binary.BigEndian, &size) != nil {
			return
		}
		question := make([]byte, size)
		if _, err := io.ReadFull(connection, question); err != nil {
			return
		}
		answer, err := reply(question, zone)
		if err != nil {
			return
		}
		if _, err := connection.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func reply(packet []byte, zone zone) ([]byte, error) {
	var parser dnsmessage.Parser
	header, err := parser.Start(packet)
	if err != nil {
		return nil, err
	}
	question, err := parser.Question()
	if err != nil {
		return nil, err
	}
	code, resources := zone.answer(question)
	message := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: header.ID, Response: true, OpCode: header.OpCode, Authoritative: true,
			RecursionDesired: header.RecursionDesired, RecursionAvailable: true, RCode: code,
		},
		Questions: []dnsmessage.Question{question},
		Answers:   resources,
	}
	return message.Pack()
}

// truncated keeps the header and the question, and says that the answer is incomplete.
func truncated(answer []byte) []byte {
	var message dnsmessage.Message
	if message.Unpack(answer) != nil {
		return answer
	}
	message.Header.Truncated, message.Answers = true, nil
	short, err := message.Pack()
	if err != nil {
		return answer
	}
	return short
}
