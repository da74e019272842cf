# syntax=docker/dockerfile:1
# One image for every environment: all configuration is read when the container starts (docs/configuration.md).
# Since version 24, Node tracks asynchronous contexts without a cost per promise (docs/performance.md).
# By digest, of the index of all platforms: a tag can be moved. Renewal: docs/operate/renew-the-base-image.md.
ARG NODE_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /source
# Copied before the source, so that source changes keep the npm layer cached. No dependency needs its install script.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs

FROM ${NODE_IMAGE} AS run
# What is deployed, by its short hash: of error reports, and of the metric build_info.
ARG NEXT_PUBLIC_RELEASE=development
ENV NEXT_PUBLIC_RELEASE=${NEXT_PUBLIC_RELEASE}
# The server listens on HOSTNAME; containers set it to their own name by default.
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOSTNAME=0.0.0.0 PORT=3000
WORKDIR /app
# Owned by root but run as another user: the process cannot modify its own files.
COPY --from=build /source/.next/standalone ./
USER node
# 3002: CHECK_PORT where it is set, as in compose.yaml and deploy/kubernetes.
EXPOSE 3000 3002
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server.js"]
