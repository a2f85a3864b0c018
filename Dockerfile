# syntax=docker/dockerfile:1

# The image of the service for production: `docker build --tag travel-operations-platform .`
# One base for all stages: the code that V8 compiles at build time is valid for the same version of Node.js only.
ARG NODE=node:24-bookworm-slim

FROM ${NODE} AS build
RUN install --directory --owner=node --group=node /app
USER node
WORKDIR /app
COPY --chown=node:node package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --include=dev
COPY --chown=node:node nest-cli.json tsconfig.json ormconfig.ts ./
COPY --chown=node:node scripts ./scripts
COPY --chown=node:node src ./src
RUN npm run build

FROM ${NODE} AS packages
RUN install --directory --owner=node --group=node /app
USER node
WORKDIR /app
COPY --chown=node:node package.json package-lock.json .npmrc ./
# npm keeps the compiler, because two packages could use it.
RUN npm ci --ignore-scripts --omit=dev && rm -rf node_modules/typescript node_modules/.bin/ts*

FROM ${NODE} AS service
ARG VERSION=development
ARG REVISION=unknown
LABEL org.opencontainers.image.title="travel-operations-platform" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# Without package managers. The data folder is the only one that the service writes to.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && install --directory --owner=node --group=node /var/lib/travel \
  && ln --symbolic /app/scripts/platform.js /usr/local/bin/platform
WORKDIR /app
COPY package.json ./
COPY scripts ./scripts
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/var/lib/travel
# The user `node`, as numbers: Kubernetes verifies only a number for runAsNonRoot.
USER 1000:1000
VOLUME /var/lib/travel
EXPOSE 3000
# Not readiness: an orchestrator that restarts unhealthy containers would restart the service while its database is away.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=6 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# `platform start` becomes the service in the same process; `docker run <image> migrate` runs another command.
ENTRYPOINT ["node", "scripts/platform.js"]
CMD ["start"]
