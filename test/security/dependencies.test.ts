import { strict as assert } from 'node:assert'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')
const readJson = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'))

interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
  link?: boolean
}

/** `npm audit` needs the advisory service, which a test can't count on. This is what can be known without it. */
test('every package is named by its content, from the public registry, and runs nothing when installed unless allowed', async () => {
  const { packages, lockfileVersion } = await readJson('package-lock.json')
  const { allowScripts, workspaces } = await readJson('package.json')
  assert.equal(lockfileVersion, 3)
  const isOurs = ([path, { link, resolved }]: [string, Locked]) =>
    ['', ...workspaces].includes(path) || (link === true && workspaces.includes(resolved))
  const locked = Object.entries(packages as Record<string, Locked>).filter((entry) => !isOurs(entry))
  assert.ok(locked.length > 50)
  for (const [path, { integrity, resolved, link, version }] of locked) {
    assert.match(integrity ?? '', /^sha512-[\w+/]{86}==$/, path)
    assert.ok(!link, `${path} is a link`)
    assert.match(version ?? '', /^\d+\.\d+\.\d+/, path)
    if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
  }
  const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = withScripts.map(([path]) => path.split('node_modules/').at(-1) ?? '')
  assert.deepEqual(names.toSorted(), Object.keys(allowScripts).toSorted())
  // Exact versions: what was read is what is run.
  for (const folder of ['', ...workspaces.map((workspace: string) => `${workspace}/`)]) {
    const { dependencies, devDependencies } = await readJson(`${folder}package.json`)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies } as Record<string, string>)) {
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
      const found = packages[`${folder}node_modules/${name}`] ?? packages[`node_modules/${name}`]
      // A workspace that another one uses is a link.
      assert.equal(found.link ? version : found.version, version, name)
    }
  }
})

test('no file of the project names a host or a credential of who built it', async () => {
  for (const file of ['package.json', 'package-lock.json', '.npmrc', 'Dockerfile', 'compose.yaml']) {
    const text = await readFile(join(root, file), 'utf8').catch(() => '')
    assert.doesNotMatch(text, /_authToken|_password|:\/\/[^/\s"${]*:[^/\s"${]+@/, file)
    assert.doesNotMatch(text, /:\/\/(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+\b/, file)
  }
})

test('nothing opens a connection but carriers, webhooks, the resolver of their names, single sign-on and traces: no address in a message is fetched', async () => {
  const opening: string[] = []
  for await (const file of glob('**/*.ts', { cwd: join(root, 'src') })) {
    if (/\.(test|samples)\.ts$/.test(file)) continue
    const text = await readFile(join(root, 'src', file), 'utf8')
    const isClient =
      /from 'undici'|from '@opentelemetry\/exporter[^']*'|import\('openid-client'\)|from 'node:(?:tls|https|dgram|dns[^']*)'|\b(?:connect|request as \w+)\b[^\n]*from 'node:(?:net|http)'/
    if (isClient.test(text) || /(?<![.\w'])fetch\(/.test(text.replaceAll(/'[^'\n]*'/g, ''))) opening.push(file)
  }
  assert.deepEqual(opening.toSorted(), [
    'carriers/exchange.ts',
    'carriers/http/http-carrier.ts',
    'carriers/http/polls.ts',
    'carriers/rbm/access-token.ts',
    'carriers/rbm/look-at-agent.ts',
    'carriers/rbm/rbm-client.ts',
    'carriers/smpp/open-socket.ts',
    // It only tries the key and the certificate.
    'config.ts',
    'single-sign-on/provider.ts',
    // It listens, with TLS.
    'smpp-server/smpp-server.ts',
    // To the collector of the settings.
    'traces/open-telemetry.ts',
    'webhooks/lookup.ts',
    'webhooks/post.ts'
  ])
})
