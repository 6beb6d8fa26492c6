# The one image of operator, facilitator and migration: `svc`, its Node, and the libraries both need.
#
#   docker build --build-arg SVC_VERSION=0.1.0 --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:... .
#
# `make image` builds the same files without a container engine (docs/image.md). Name the base by digest for an image
# that can be made again; it only builds, nothing of it is in the result.
ARG NODE_IMAGE=node:24-bookworm-slim

# With apt and npm, on Debian: its packages become the root file system.
FROM ${NODE_IMAGE} AS build
WORKDIR /checkout
COPY . .
RUN ["node", "tools/image/run.ts", "--layers", "/layers"]

FROM scratch
ARG SVC_VERSION=dev
ARG SVC_REVISION=unknown
ARG SVC_SOURCE=unknown
LABEL org.opencontainers.image.title="stellar-x402" \
      org.opencontainers.image.description="An x402 payment facilitator for Stellar, and its Kubernetes operator" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${SVC_VERSION}" \
      org.opencontainers.image.revision="${SVC_REVISION}" \
      org.opencontainers.image.source="${SVC_SOURCE}"
# With /app/bin on the path, `kubectl exec` runs `svc status` and every other command by its name.
# Half of the usual room for young objects: 30 MB less, and no request is slower (docs/performance.md).
# Threads share the memory that they have freed.
# The image has the compiled code of every module; nothing is written at run time.
ENV PATH=/app/bin:/usr/local/bin \
    NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=8 \
    MALLOC_ARENA_MAX=2 \
    NODE_COMPILE_CACHE=/app/node_modules/.cache/svc \
    SVC_VERSION=${SVC_VERSION}
WORKDIR /app
# One layer each, those that change least first.
COPY --from=build /layers/debian/ /
COPY --from=build /layers/node/ /
COPY --from=build /layers/libraries/ /
COPY --from=build /layers/app/ /
# Owner of nothing here: the process can read the image and write to /tmp.
USER 10001:10001
EXPOSE 8080 9090
ENTRYPOINT ["node", "/app/bin/svc"]
CMD ["--help"]
