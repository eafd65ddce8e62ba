import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { atEnd } from '../../test/service/cleanup.ts'
import { startNameserver } from './dns.samples.ts'
import { checkTarget, readTarget } from './target.ts'

const PUBLIC_ONLY = { allowPrivate: false }

test('a URL becomes the parts of a request', () => {
  const cases: [url: string, target: object][] = [
    ['https://example.com', { isSecure: true, host: 'example.com', port: 443, path: '/' }],
    ['http://example.com/a b?c=é#d', { isSecure: false, host: 'example.com', port: 80, path: '/a%20b?c=%C3%A9' }],
    ['HTTPS://Example.COM:8443/hook', { isSecure: true, host: 'example.com', port: 8443, path: '/hook' }],
    ['https://bücher.example./x', { isSecure: true, host: 'xn--bcher-kva.example', port: 443, path: '/x' }],
    ['https://[2606:4700::1111]:444/', { isSecure: true, host: '2606:4700::1111', port: 444, path: '/' }],
    ['https://8.8.8.8/', { isSecure: true, host: '8.8.8.8', port: 443, path: '/' }],
    ['https://localhost.example.com/', { isSecure: true, host: 'localhost.example.com', port: 443, path: '/' }],
    ['https://notlocal/', { isSecure: true, host: 'notlocal', port: 443, path: '/' }]
  ]
  for (const [url, target] of cases) assert.deepEqual(readTarget(url, PUBLIC_ONLY), { target }, url)
})

test('a text that is no URL of a web server is refused with a sentence', () => {
  const cases: [url: string, problem: string][] = [
    ['', 'must be a URL, such as https://example.com/webhooks'],
    ['example.com/hook', 'must be a URL, such as https://example.com/webhooks'],
    ['https://', 'must be a URL, such as https://example.com/webhooks'],
    ['https://256.1.1.1/', 'must be a URL, such as https://example.com/webhooks'],
    ['https://./', 'must name a host, such as https://example.com/webhooks'],
    ['ftp://example.com/', 'must start with https:// or http://'],
    ['file:///etc/passwd', 'must start with https:// or http://'],
    ['gopher://example.com/', 'must start with https:// or http://'],
    ['https://user:secret@example.com/', 'must not hold a user or a password'],
    ['https://user@example.com/', 'must not hold a user or a password'],
    [`https://example.com/${'a'.repeat(2_029)}`, 'must have at most 2048 characters']
  ]
  for (const [url, problem] of cases) assert.deepEqual(readTarget(url, { allowPrivate: true }), { problem }, url)
  assert.ok('target' in readTarget(`https://example.com/${'a'.repeat(2_028)}`, PUBLIC_ONLY))
})

test('a private host is refused in every way to write it, and allowed for development', () => {
  const cases: [url: string, host: string][] = [
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http:\\\\127.0.0.1\\', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://10.1.2.3/', '10.1.2.3'],
    ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
    ['http://2852039166/', '169.254.169.254'],
    ['https://[::1]/', '::1'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[0:0:0:0:0:FFFF:7F00:0001]/', '::ffff:7f00:1'],
    ['https://[fe80::1]/', 'fe80::1'],
    ['http://localhost:3000/', 'localhost'],
    ['http://LOCALHOST./', 'localhost'],
    ['http://api.localhost/', 'api.localhost'],
    ['http://printer.local/', 'printer.local'],
    ['http://metadata.google.internal/', 'metadata.google.internal'],
    ['http://db.internal../', 'db.internal']
  ]
  for (const [url, host] of cases) {
    const problem = `must not lead to a private address, as ${host} does`
    assert.deepEqual(readTarget(url, PUBLIC_ONLY), { problem }, url)
    const allowed = readTarget(url, { allowPrivate: true })
    assert.equal('target' in allowed && allowed.target.host, host, url)
  }
})

test('a name is refused when it leads to private addresses only; one that is not found may come later', async (t) => {
  const nameserver = await startNameserver({
    'public.example': [['93.184.216.34', '2606:4700::1111']],
    'mixed.example': [['10.0.0.1', '93.184.216.34']],
    'inside.example': [['10.0.0.1', 'fd00::1']],
    'loopback6.example': [['::1']],
    'mapped.example': [['::ffff:127.0.0.1']],
    'empty.example': [[]]
  })
  atEnd(t, () => nameserver.close())
  const { lookup } = nameserver
  for (const name of ['public', 'mixed', 'empty', 'missing']) {
    const read = await checkTarget(`https://${name}.example/`, { allowPrivate: false, lookup })
    assert.ok('target' in read, name)
  }
  for (const name of ['inside', 'loopback6', 'mapped']) {
    const problem = `must not lead to a private address, as ${name}.example does`
    assert.deepEqual(await checkTarget(`https://${name}.example/`, { allowPrivate: false, lookup }), { problem })
    assert.ok('target' in (await checkTarget(`https://${name}.example/`, { allowPrivate: true, lookup })))
  }
})

test('a nameserver that does not answer is no reason to refuse a name', async (t) => {
  const silent = await startNameserver({ 'slow.example': 'silent' })
  atEnd(t, () => silent.close())
  const read = await checkTarget('https://slow.example/', { allowPrivate: false, lookup: silent.lookup })
  assert.ok('target' in read)
  assert.equal(silent.asked('slow.example'), 1)
})
