// Dns answers the names of Services and of the pods behind headless Services, from the API server's objects. It
// refuses every other name at once: a world has no way to the internet.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os/signal"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the API server's address and credentials")
	listen := flag.String("listen", "127.0.0.1:53", "address and port, for UDP and TCP")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, *kubeconfig, *listen); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kubeconfig, listen string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	zone := zone{
		services: factory.Core().V1().Services().Lister(),
		slices:   factory.Discovery().V1().EndpointSlices().Lister(),
	}
	// A lister registers its informer when it is first asked for.
	factory.Core().V1().Services().Informer()
	factory.Discovery().V1().EndpointSlices().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())

	packets, err := net.ListenPacket("udp", listen)
	if err != nil {
		return err
	}
	streams, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	go serveStreams(streams, zone)
	go servePackets(packets, zone)
	<-ctx.Done()
	return nil
}
