import { loadavg } from 'node:os'
import type { Browser } from 'playwright-core'
import { openTab, withShop } from './shop.ts'

/*
 * `npm run console:load`: what a page costs when nothing of the console is cached: requests, bytes, and the times until its heading
 * is on the screen and until the console works, on a slow line with a slow processor. A script and no test: times depend on the
 * machine. Each time is the median of several loads, and the load of the machine is told with it.
 */

const LINES = {
  fast: undefined,
  'slow (1.6 Mbit/s, 150 ms, a quarter of the CPU)': { bytesPerSecond: 200_000, latencyMs: 150, slowdown: 4 }
}
const LOADS = 5
/** Requests that come this long after the heading belong to the page. */
const QUIET_MS = 2_000

await withShop(async ({ url, browser }) => {
  for (const [line, limits] of Object.entries(LINES)) {
    for (const path of ['/', '/send', '/messages']) {
      const loads: Awaited<ReturnType<typeof measure>>[] = []
      for (let time = 0; time < LOADS; time++) loads.push(await measure(browser, { url, path, limits }))
      const [{ requests, files, bytes } = { requests: 0, files: 0, bytes: 0 }] = loads
      const heading = median(loads.map(({ headingMs }) => headingMs))
      const working = median(loads.map(({ workingMs }) => workingMs))
      process.stdout.write(
        `${path.padEnd(10)} ${requests} requests (${files} files), ${Math.round(bytes / 1000)} kB, heading after ${heading} ms, working after ${working} ms, ${line}, load average ${loadavg()[0]?.toFixed(1)}\n`
      )
    }
  }
})

interface Limits {
  bytesPerSecond: number
  latencyMs: number
  slowdown: number
}

async function measure(
  browser: Browser,
  { url, path, limits }: { url: string; path: string; limits: Limits | undefined }
) {
  const page = await openTab(browser, { url, viewport: { width: 1280, height: 860 }, locale: 'en-GB' })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  if (limits) {
    const { bytesPerSecond, latencyMs, slowdown } = limits
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond
    })
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  }
  const asked: string[] = []
  let bytes = 0
  cdp.on('Network.requestWillBeSent', ({ request }) => asked.push(request.url))
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  const startedAt = performance.now()
  await page.goto(`${url}/app${path}`, { waitUntil: 'commit' })
  await page.locator('h1').first().waitFor()
  const headingMs = performance.now() - startedAt
  await page.locator('#page h1').waitFor()
  const workingMs = performance.now() - startedAt
  await page.waitForTimeout(QUIET_MS)
  await page.context().close()
  const own = asked.filter((address) => address.startsWith(url))
  if (process.argv.includes('--list')) process.stdout.write(`${own.join('\n')}\n`)
  return {
    requests: own.length,
    files: own.filter((address) => address.includes('/assets/')).length,
    bytes,
    headingMs,
    workingMs
  }
}

function median(times: number[]): number {
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0)
}
