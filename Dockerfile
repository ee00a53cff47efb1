# A release names it by its digest: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS bundle
WORKDIR /app

# The program as it is published. It is bundled here, so that the image holds no bundler.
COPY package.json package-lock.json tsconfig.json ./
COPY packages packages
COPY scripts scripts
COPY src src
RUN npm install --ignore-scripts --no-audit --no-fund && npm run build

FROM ${NODE_IMAGE}
WORKDIR /app

# Isolates MCP servers from the program, where the container may make namespaces. The Node that can be run but
# not read does where neither that nor another user can be had: with `docker run --user`.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/* \
  && chmod 0111 /usr/local/bin/node

# Without install scripts: the one that matters fetches a Node, and the image has one. Not `npm ci`, which
# refuses a lock file without the optional packages of other systems.
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/slack-emulator/package.json packages/slack-emulator/
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY --from=bundle /app/dist dist
COPY bin bin
COPY examples examples
COPY scripts scripts
COPY src src
COPY countersign.yaml countersign.schema.json ./

# The key that signs the audit is kept apart from the data. It starts as root, to run MCP servers as somebody
# else: as `node`, who can read neither this program nor these folders. They are node's until then, for those
# who start all of it as node.
RUN mkdir --mode=0700 /data /keys && chown node:node /data /keys
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data \
  AUDIT_SIGNING_KEY_FILE=/keys/audit-signing-key.pem SANDBOX_USER=node
VOLUME /data /keys
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "--max-semi-space-size=8", "dist/index.mjs"]
