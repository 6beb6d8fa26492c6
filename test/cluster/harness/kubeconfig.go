package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
)

// writeKubeconfig writes a self-contained kubeconfig for the identity of that name.
func writeKubeconfig(dir string, name string, server string) error {
	var encoded []any
	for _, file := range []string{"ca.crt", name + ".crt", name + ".key"} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		encoded = append(encoded, base64.StdEncoding.EncodeToString(content))
	}
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
  - name: harness
    cluster: { server: %q, certificate-authority-data: %s }
users:
  - name: %s
    user: { client-certificate-data: %s, client-key-data: %s }
contexts:
  - name: harness
    context: { cluster: harness, user: %[3]s }
current-context: harness
`, server, encoded[0], name, encoded[1], encoded[2])
	return os.WriteFile(kubeconfigPath(dir, name), []byte(text), 0o600)
}

func kubeconfigPath(dir string, name string) string {
	return filepath.Join(dir, name+".kubeconfig")
}
