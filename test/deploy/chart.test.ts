import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { TEST_CERTIFICATE, TEST_KEY } from '../../src/carriers/smpp/certificate.samples.ts'
import { readConfig, Settings } from '../../src/config.ts'
import { atEnd } from '../service/cleanup.ts'
import { type Manifest, renderChart } from './render-chart.ts'

const root = join(import.meta.dirname, '../..')
const CHART = join(root, 'deploy/helm/chappe')
const ROLES = ['api', 'delivery', 'webhooks', 'smpp']
/** All that the chart can have. */
const ALL = {
  settings: { CHAPPE_SMPP_PORT: 2775, CHAPPE_SMPP_TLS_PORT: 3550, CHAPPE_PUBLIC_URL: 'https://sms.example.com' },
  roles: { smpp: { replicas: 2 } },
  smppTls: { secretName: 'chappe-smpp' },
  carriers: { secretName: 'chappe-carriers' },
  secretEnvironment: ['chappe-admin', 'chappe-mail'],
  ingress: { enabled: true, host: 'sms.example.com', className: 'nginx', tlsSecretName: 'sms-tls' },
  imagePullSecrets: [{ name: 'registry' }],
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'messaging', operator: 'Exists' }],
  networkPolicy: { from: [{ namespaceSelector: {} }] }
}

interface Container {
  env: { name: string; value?: string; valueFrom?: unknown }[]
  envFrom?: { secretRef: { name: string } }[]
  ports: { name: string; containerPort: number }[]
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
}

const namesOf = (manifests: Manifest[]) => manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()
const ofKind = (manifests: Manifest[], kind: string) => manifests.filter((manifest) => manifest.kind === kind)

function podOf(manifests: Manifest[], role: string) {
  const found = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `chappe-${role}`)
  assert.ok(found, `there is a Deployment of ${role}`)
  const { spec, metadata } = found.spec.template
  assert.equal(spec.containers.length, 1)
  const container: Container = spec.containers[0]
  const settings: Record<string, string> = {}
  for (const { name, value } of container.env) {
    assert.ok(!(name in settings), `${role} has ${name} once`)
    assert.ok(value === undefined || typeof value === 'string', `${name} is text, as Kubernetes wants it`)
    settings[name] = value ?? ''
  }
  return { deployment: found, spec, labels: metadata.labels as Record<string, string>, container, settings }
}

const isSelected = (labels: Record<string, string>, selector: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

test('the chart has a deployment and a disruption budget for each role, on a PostgreSQL outside of it', async () => {
  const manifests = await renderChart(CHART, ALL)
  const each = (kind: string, roles: string[]) => roles.map((role) => `${kind} chappe-${role}`)
  const always = ['NetworkPolicy chappe', 'Service chappe-api']
  assert.deepEqual(
    namesOf(manifests),
    [
      ...each('Deployment', ROLES),
      ...each('PodDisruptionBudget', ROLES),
      ...always,
      'Ingress chappe',
      'Service chappe-smpp'
    ].toSorted()
  )
  const plain = ROLES.filter((role) => role !== 'smpp')
  assert.deepEqual(
    namesOf(await renderChart(CHART)),
    [...each('Deployment', plain), ...each('PodDisruptionBudget', plain), ...always].toSorted()
  )
  assert.deepEqual(ofKind(await renderChart(CHART, { networkPolicy: { enabled: false } }), 'NetworkPolicy'), [])
  const secret = { secretName: 'shop-database', secretKey: 'address' }
  const other = await renderChart(CHART, { database: secret })
  for (const role of plain) {
    assert.deepEqual(
      podOf(other, role).container.env.find(({ name }) => name === 'DATABASE_URL'),
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'shop-database', key: 'address' } } }
    )
  }
})

test('each pod runs as an ordinary user on a read-only root file system, with probes and a drain', async () => {
  const manifests = await renderChart(CHART, ALL)
  const uid = Number(/--uid (\d+) chappe/.exec(await readFile(join(root, 'Dockerfile'), 'utf8'))?.[1])
  const main = await readFile(join(root, 'src/main.ts'), 'utf8')
  const stopSeconds = Number(/const STOP_TIMEOUT_MS = (\S+)/.exec(main)?.[1]?.replace('_', '')) / 1000
  assert.ok(stopSeconds > 0)
  for (const role of ROLES) {
    const { deployment, spec, container } = podOf(manifests, role)
    assert.deepEqual(deployment.spec.strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
    })
    assert.equal(spec.automountServiceAccountToken, false)
    assert.deepEqual(spec.securityContext, {
      runAsNonRoot: true,
      runAsUser: uid,
      runAsGroup: uid,
      fsGroup: uid,
      seccompProfile: { type: 'RuntimeDefault' }
    })
    const { securityContext, lifecycle, startupProbe, livenessProbe, readinessProbe, resources } = spec.containers[0]
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] }
    })
    assert.ok(container.ports.some(({ name, containerPort }) => name === 'http' && containerPort === 3000))
    assert.deepEqual(startupProbe.httpGet, { path: '/health/live', port: 'http' })
    assert.deepEqual(livenessProbe.httpGet, { path: '/health/live', port: 'http' })
    assert.deepEqual(readinessProbe.httpGet, { path: '/health/ready', port: 'http' })
    // Migrations wait up to five minutes for a table.
    assert.ok(startupProbe.periodSeconds * startupProbe.failureThreshold >= 300)
    const [command, drain] = lifecycle.preStop.exec.command
    assert.deepEqual([command, typeof drain], ['sleep', 'string'])
    assert.ok(Number(drain) > 0)
    assert.ok(spec.terminationGracePeriodSeconds >= Number(drain) + stopSeconds)
    assert.ok(resources.requests.memory && resources.limits.memory)
    // What it writes is a volume: its data, and temporary files.
    const written = container.volumeMounts.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath)
    assert.deepEqual(written, ['/data', '/tmp'])
    const volumes = new Set(spec.volumes.map(({ name }: { name: string }) => name))
    assert.deepEqual(volumes, new Set(container.volumeMounts.map(({ name }) => name)), 'each volume is mounted')
    assert.deepEqual(container.envFrom, [
      { secretRef: { name: 'chappe-admin' } },
      { secretRef: { name: 'chappe-mail' } }
    ])
  }
  await assert.rejects(renderChart(CHART, { drainSeconds: 30 }), /must be at least drainSeconds and 25/)
  assert.equal(stopSeconds, 25, 'the chart knows how long a stop takes')
})

test('services, budgets and the network policy select the pods that they are for, at ports that these have', async () => {
  const manifests = await renderChart(CHART, ALL)
  const pods = ROLES.map((role) => ({ role, ...podOf(manifests, role) }))
  const selectedBy = (selector: Record<string, string>) => pods.filter(({ labels }) => isSelected(labels, selector))
  for (const { role, deployment } of pods) {
    const selectors = [
      deployment.spec.selector,
      ofKind(manifests, 'PodDisruptionBudget').find(({ metadata }) => metadata.name === `chappe-${role}`)?.spec.selector
    ]
    for (const selector of selectors)
      assert.deepEqual(
        selectedBy(selector.matchLabels).map(({ role: of }) => of),
        [role]
      )
  }
  for (const budget of ofKind(manifests, 'PodDisruptionBudget')) assert.equal(budget.spec.maxUnavailable, 1)
  const services = ofKind(manifests, 'Service')
  const portsOf: Record<string, [string, number][]> = {
    api: [['http', 80]],
    smpp: [
      ['smpp', 2775],
      ['smpp-tls', 3550]
    ]
  }
  for (const { spec, metadata } of services) {
    const [pod, ...others] = selectedBy(spec.selector)
    assert.ok(pod && others.length === 0, metadata.name)
    const ports: [string, number][] = spec.ports.map(({ targetPort, port }: { targetPort: string; port: number }) => [
      targetPort,
      port
    ])
    assert.deepEqual(ports, portsOf[pod.role])
    for (const [name] of ports)
      assert.ok(
        pod.container.ports.some((port) => port.name === name),
        name
      )
  }
  const [policy] = ofKind(manifests, 'NetworkPolicy')
  assert.equal(selectedBy(policy?.spec.podSelector.matchLabels).length, ROLES.length)
  assert.deepEqual(policy?.spec.policyTypes, ['Ingress', 'Egress'])
  assert.deepEqual(
    policy?.spec.ingress.map(({ ports, from }: { ports: { port: string }[]; from: unknown }) => [
      ports.map(({ port }) => port),
      from
    ]),
    [[['http', 'smpp', 'smpp-tls'], [{ namespaceSelector: {} }]]]
  )
  const [names, anywhere] = policy?.spec.egress ?? []
  assert.deepEqual(
    names.ports.map(({ port }: { port: number }) => port),
    [53, 53]
  )
  assert.deepEqual(anywhere.to, [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }])
  const [ingress] = ofKind(manifests, 'Ingress')
  const [rule] = ingress?.spec.rules ?? []
  assert.deepEqual(rule.http.paths[0].backend.service, { name: 'chappe-api', port: { name: 'http' } })
  assert.deepEqual([rule.host, ingress?.spec.tls[0].hosts], ['sms.example.com', ['sms.example.com']])
})

test('a setting of the chart reaches every pod as it was written: false, 0, large and small numbers', async () => {
  const settings = {
    CHAPPE_ALARMS: false,
    CHAPPE_OPENING_CREDITS: 0,
    CHAPPE_DATABASE_GB: 1_000_000,
    CHAPPE_ACCESS_LOG: true,
    CHAPPE_MAIL_FROM: 'Chappe "SMS" <no-reply@sms.example>',
    OTEL_TRACES_SAMPLER_ARG: 0.01,
    CHAPPE_LINK_URL: '',
    CHAPPE_METRICS: null
  }
  const manifests = await renderChart(CHART, { settings })
  for (const role of ['api', 'delivery', 'webhooks']) {
    const { settings: found } = podOf(manifests, role)
    const { CHAPPE_DATA, CHAPPE_ROLES, DATABASE_URL, HOST, PORT, ...given } = found
    assert.deepEqual([CHAPPE_DATA, CHAPPE_ROLES, DATABASE_URL, HOST, PORT], ['/data', role, '', '0.0.0.0', '3000'])
    assert.deepEqual(given, {
      CHAPPE_ALARMS: 'false',
      CHAPPE_OPENING_CREDITS: '0',
      CHAPPE_DATABASE_GB: '1000000',
      CHAPPE_ACCESS_LOG: 'true',
      CHAPPE_MAIL_FROM: settings.CHAPPE_MAIL_FROM,
      OTEL_TRACES_SAMPLER_ARG: '0.01'
    })
  }
})

test('pods of the role smpp alone get the key of its TLS, and Chappe starts with the settings of every pod', async (t) => {
  const folder = await emptyFolder(t)
  await writeFile(join(folder, 'tls.crt'), TEST_CERTIFICATE)
  await writeFile(join(folder, 'tls.key'), TEST_KEY)
  await writeFile(join(folder, 'carriers.json'), '{"carriers": [], "routes": []}')
  const manifests = await renderChart(CHART, ALL)
  const itemsOf: Record<string, string[]> = { api: ['tls.crt'], smpp: ['tls.crt', 'tls.key'] }
  for (const role of ROLES) {
    const { spec, settings, container } = podOf(manifests, role)
    const volume = spec.volumes.find(({ name }: { name: string }) => name === 'smpp-tls')?.secret
    const items: string[] | undefined = volume?.items.map(({ key }: { key: string }) => key)
    assert.deepEqual(items, itemsOf[role], role)
    // The files of a pod, here: what is not mounted is not there.
    const here = Object.entries(settings).map(([name, value]) => {
      const path = value.replace(/^\/(smpp-tls|carriers)\//, `${folder}/`)
      if (value.startsWith('/smpp-tls/'))
        assert.ok(items?.includes(value.slice('/smpp-tls/'.length)), `${role} ${name}`)
      return [name, path]
    })
    const config = readConfig({
      ...Object.fromEntries(here),
      DATABASE_URL: 'postgres://chappe@postgres.example/chappe'
    })
    assert.deepEqual([...config.roles], [role])
    assert.deepEqual([config.smpp?.port, config.smpp?.tlsPort], [2775, 3550], `${role} can tell customers`)
    const ports = container.ports.map(({ name, containerPort }) => `${name} ${containerPort}`)
    assert.deepEqual(ports, role === 'smpp' ? ['http 3000', 'smpp 2775', 'smpp-tls 3550'] : ['http 3000'])
    assert.equal(config.smpp?.tls?.keyFile, role === 'smpp' ? join(folder, 'tls.key') : undefined)
    if (role === 'smpp') assert.equal(config.smpp?.host, '0.0.0.0', 'customers reach it')
    assert.equal(config.alarms?.certificateFiles.length, itemsOf[role] ? 1 : 0)
  }
  const alone = await renderChart(CHART, { ...ALL, settings: { CHAPPE_SMPP_TLS_PORT: '3551' } })
  assert.deepEqual(podOf(alone, 'smpp').container.ports.at(-1), { name: 'smpp-tls', containerPort: 3551 })
  assert.equal(ofKind(alone, 'Service').find(({ metadata }) => metadata.name === 'chappe-smpp')?.spec.ports.length, 1)
  const smpp = { roles: ALL.roles }
  await assert.rejects(renderChart(CHART, smpp), /needs settings.CHAPPE_SMPP_PORT/)
  const withoutKey = { ...smpp, settings: { CHAPPE_SMPP_TLS_PORT: 3550 } }
  await assert.rejects(renderChart(CHART, withoutKey), /needs smppTls.secretName/)
})

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chappe-chart-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The paths of the keys of a value: `a`, `a.b`. */
function pathsOf(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [`${above}${key}`, ...pathsOf(inner, `${above}${key}.`)])
}

test('the chart reads every value that it has and no other', async () => {
  const values = pathsOf(parse(await readFile(join(CHART, 'values.yaml'), 'utf8')))
  const found = new Set<string>()
  for await (const file of glob('templates/*', { cwd: CHART })) {
    const text = await readFile(join(CHART, file), 'utf8')
    for (const [, path = ''] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      found.add(path)
      const isSetting = path.startsWith('settings.') && (path.split('.')[1] ?? '') in Settings.properties
      assert.ok(isSetting || values.includes(path), `${file} reads ${path}`)
    }
  }
  for (const path of values) {
    // The chart goes through the roles, and hands the settings on.
    const isRead = [...found].some(
      (read) => path === read || read.startsWith(`${path}.`) || path.startsWith(`${read}.`)
    )
    assert.ok(isRead, `nothing reads ${path}`)
  }
})

test('a chart with a mistake is not rendered', async (t) => {
  const folder = join(await emptyFolder(t), 'chappe')
  const wrong: Record<string, RegExp> = {
    '{{ if .Values.image }}': /end .* is missing/,
    '{{ end }}': /without a beginning/,
    '{{ lower "A" }}': /the function lower is not known/,
    '{{ include "chappe.nothing" . }}': /there is no template/,
    '{{ $nothing }}': /\$nothing is not known/,
    '{{ .Values.image }}': /printed without toYaml/,
    'a: b: c': /mappings/i
  }
  for (const [text, problem] of Object.entries(wrong)) {
    await cp(CHART, folder, { recursive: true })
    await writeFile(join(folder, 'templates/wrong.yaml'), text)
    await assert.rejects(renderChart(folder), problem, text)
  }
  await writeFile(join(folder, 'templates/wrong.yaml'), 'large: {{ .Values.large | quote }}')
  const [printed] = (await renderChart(folder, { large: 1_000_000 })).slice(-1)
  assert.deepEqual(printed, { large: '1e+06' }, 'as Go prints it')
})

/** What `helm` says; undefined where it is not installed. */
function helm(...args: string[]): string | undefined {
  const { error, status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8', maxBuffer: 2 ** 24 })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

test('helm accepts the chart and renders the same, where it is installed', async (t) => {
  const file = join(await emptyFolder(t), 'values.json')
  for (const values of [{}, ALL]) {
    await writeFile(file, JSON.stringify(values))
    if (helm('lint', '--strict', '--values', file, CHART) === undefined) return t.diagnostic('helm is not installed')
    const rendered = helm('template', 'chappe', CHART, '--values', file) ?? ''
    const documents = rendered.split(/^---$/m).map((text) => parse(text))
    const byName = (manifests: Manifest[]) => manifests.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
    assert.deepEqual(byName(documents.filter((each) => each !== null)), byName(await renderChart(CHART, values)))
  }
})

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
