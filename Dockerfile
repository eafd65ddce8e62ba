# Any Node from 20 will do here: it only runs npm. The service runs on the Node that package.json pins.
# The workspaces of package.json, such as the command line, are not copied: npm leaves them out.
FROM node:24-slim AS console

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY console ./console
COPY scripts ./scripts
COPY src ./src
RUN npm run console:build

FROM node:24-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY src ./src
COPY simulator ./simulator
COPY --from=console /app/console ./console
COPY scripts ./scripts
COPY LICENSE README.md ./

# An ordinary user: PostgreSQL refuses to run as root. It writes /data and /tmp alone, so the rest may be read-only:
# `docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -v chappe-data:/data chappe`.
RUN useradd --no-create-home --uid 10001 chappe && install -d -o chappe -g chappe -m 700 /data
USER chappe
ENV HOST=0.0.0.0 PORT=3000 CHAPPE_DATA=/data NODE_ENV=production
VOLUME /data
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# The program itself, not npm: signals then reach it without a detour.
CMD ["/app/node_modules/.bin/node", "src/main.ts"]
