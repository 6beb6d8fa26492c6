# The one image of operator, facilitator and migration: `svc` and the libraries it needs in production.
#
#   docker build --build-arg SVC_VERSION=0.1.0 --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:... .
#
# The sources run as they are; there is no build step. Name the base by digest for an image that can
# be made again, byte for byte.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No script of a library runs: none that production needs has one.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ARG SVC_VERSION=dev
LABEL org.opencontainers.image.title="x402-stellar" \
      org.opencontainers.image.description="An x402 payment facilitator for Stellar, and its Kubernetes operator" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${SVC_VERSION}"
# With /app/bin on the path, `kubectl exec` runs `svc status` and every other command by its name.
# Half of the usual room for young objects: 30 MB less, and no request is slower (docs/performance.md).
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=8 \
    PATH=/app/bin:${PATH} \
    SVC_VERSION=${SVC_VERSION}
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY src ./src
# `svc upto deploy` uploads it.
COPY contracts/upto/upto.wasm ./contracts/upto/upto.wasm
# Owner of nothing here: the process can read the image and write to /tmp, if there is one.
USER 10001:10001
EXPOSE 8080 9090
ENTRYPOINT ["node", "/app/src/cli/svc.ts"]
CMD ["--help"]
