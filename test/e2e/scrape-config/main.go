// Command scrape-config writes the configuration that the Prometheus operator generates for a Prometheus object, with
// that operator's own selectors and generator: the monitors and rules of a real API server become scrape
// configurations and rule files exactly as in a cluster that runs the operator.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus-operator/prometheus-operator/pkg/assets"
	"github.com/prometheus-operator/prometheus-operator/pkg/prometheus"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the address and credentials of the API server")
	object := flag.String("prometheus", "", "file with an object of the kind Prometheus; it need not be in the API server")
	out := flag.String("out", "", "folder for prometheus.yaml and rules/*.yaml")
	flag.Parse()
	if err := generate(context.Background(), *kubeconfig, *object, *out); err != nil {
		fmt.Fprintln(os.Stderr, "scrape-config:", err)
		os.Exit(1)
	}
}

func generate(ctx context.Context, kubeconfig, object, out string) error {
	wanted, err := readPrometheus(object)
	if err != nil {
		return err
	}
	selected, client, err := selectResources(ctx, kubeconfig, wanted)
	if err != nil {
		return err
	}
	ruleFiles, err := writeRules(filepath.Join(out, "rules"), selected.rules)
	if err != nil {
		return err
	}
	configuration, err := configurationOf(wanted, selected, client)
	if err != nil {
		return err
	}
	configuration, err = withRuleFiles(asFirstShard(configuration), ruleFiles)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "prometheus.yaml"), configuration, 0o600)
}

func readPrometheus(path string) (*monitoringv1.Prometheus, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	wanted := &monitoringv1.Prometheus{}
	if err := yaml.UnmarshalStrict(text, wanted); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if wanted.Name == "" || wanted.Namespace == "" {
		return nil, errors.New("the Prometheus object needs a name and a namespace")
	}
	return wanted, nil
}

func configurationOf(wanted *monitoringv1.Prometheus, selected *resources, client kubernetes.Interface) ([]byte, error) {
	generator, err := prometheus.NewConfigGenerator(slog.Default(), wanted, prometheus.WithEndpointSliceSupport())
	if err != nil {
		return nil, err
	}
	store := assets.NewStoreBuilder(client.CoreV1(), client.CoreV1())
	return generator.GenerateServerConfiguration(
		wanted, selected.serviceMonitors, selected.podMonitors, nil, nil, store, nil, nil, nil, nil,
	)
}

func writeRules(folder string, rules map[string]string) ([]string, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	files := make([]string, 0, len(rules))
	for name, text := range rules {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// asFirstShard does what the operator's config-reloader does in the pod of a Prometheus with one shard.
func asFirstShard(configuration []byte) []byte {
	return bytes.ReplaceAll(configuration, []byte("$(SHARD)"), []byte("0"))
}

// withRuleFiles names the files here: the operator mounts them at a path of its container.
func withRuleFiles(configuration []byte, files []string) ([]byte, error) {
	parsed := map[string]any{}
	if err := yaml.Unmarshal(configuration, &parsed); err != nil {
		return nil, err
	}
	parsed["rule_files"] = files
	return yaml.Marshal(parsed)
}
