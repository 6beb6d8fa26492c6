package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// identity is a user of the cluster with a key pair and a kubeconfig.
type identity struct {
	name   string
	user   string
	groups []string
}

var controlPlane = []identity{
	{name: "admin", user: "admin", groups: []string{"system:masters"}},
	{name: "controllers", user: "system:kube-controller-manager"},
	{name: "scheduler", user: "system:kube-scheduler"},
	{name: "nodes", user: "fake-nodes", groups: []string{"system:masters"}},
}

// authority signs certificates and keeps them as files in dir.
type authority struct {
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// identities are the users of the control plane and those of the real nodes.
func identities(kubelets []string) []identity {
	all := slices.Clone(controlPlane)
	if len(kubelets) > 0 {
		all = append(all,
			identity{name: "kube-proxy", user: "system:kube-proxy"},
			identity{name: "kubelet-client", user: "kube-apiserver-kubelet-client", groups: []string{"system:masters"}},
			identity{name: "aggregator", user: aggregatorUser},
		)
	}
	for _, node := range kubelets {
		all = append(all, identity{name: node, user: "system:node:" + node, groups: []string{"system:nodes"}})
	}
	return all
}

// makeCredentials writes every key, certificate and kubeconfig of a cluster, and admin's bearer token.
func makeCredentials(dir string, answer ready, o options) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	ca, err := newAuthority(dir)
	if err != nil {
		return err
	}
	if err := ca.signServer("apiserver", o.address); err != nil {
		return err
	}
	for _, node := range o.kubelets {
		if err := ca.signServer(node+"-server", o.address); err != nil {
			return err
		}
	}
	for _, id := range identities(o.kubelets) {
		if err := ca.signClient(id.name, pkix.Name{CommonName: id.user, Organization: id.groups}); err != nil {
			return err
		}
		if err := writeKubeconfig(dir, id.name, answer.Server); err != nil {
			return err
		}
	}
	if err := writeServiceAccountKeys(dir); err != nil {
		return err
	}
	line := answer.Token + `,admin,admin,"system:masters"` + "\n"
	return os.WriteFile(filepath.Join(dir, "tokens.csv"), []byte(line), 0o600)
}

func newAuthority(dir string) (*authority, error) {
	template := newCertificate(pkix.Name{CommonName: "cluster-harness"})
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	key, err := newKey(dir, "ca")
	if err != nil {
		return nil, err
	}
	ca := &authority{dir: dir, certificate: template, key: key}
	return ca, ca.write("ca", template, key)
}

func (ca *authority) signServer(name string, address netip.Addr) error {
	template := newCertificate(pkix.Name{CommonName: name})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1), address.AsSlice()}
	template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
	return ca.sign(name, template)
}

func (ca *authority) signClient(name string, subject pkix.Name) error {
	template := newCertificate(subject)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return ca.sign(name, template)
}

func (ca *authority) sign(name string, template *x509.Certificate) error {
	key, err := newKey(ca.dir, name)
	if err != nil {
		return err
	}
	return ca.write(name, template, key)
}

func (ca *authority) write(name string, template *x509.Certificate, key *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, &key.PublicKey, ca.key)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(ca.dir, name+".crt"), "CERTIFICATE", der)
}

func newCertificate(subject pkix.Name) *x509.Certificate {
	return &x509.Certificate{
		Subject:      subject,
		SerialNumber: new(big.Int).SetBytes([]byte(rand.Text()[:16])),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(0, 1, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

// writeServiceAccountKeys writes the key pair that signs and verifies the tokens of service accounts.
func writeServiceAccountKeys(dir string) error {
	key, err := newKey(dir, "service-accounts")
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(dir, "service-accounts.pub"), "PUBLIC KEY", public)
}

func newKey(dir string, name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(filepath.Join(dir, name+".key"), "EC PRIVATE KEY", der)
}

func writePEM(path string, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
