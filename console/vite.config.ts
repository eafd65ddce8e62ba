import { createHash } from 'node:crypto'
import react from '@vitejs/plugin-react'
import { build, defineConfig } from 'vite'

/** Where `npm start` listens; `npm run console:dev` passes on to it whatever is not the console's own. */
const SERVICE = process.env.CHAPPE_URL ?? 'http://127.0.0.1:3000'

/** What a first visit shows: all that these need is one file. */
const FIRST = ['/src/main.tsx', '/src/routes/shell.tsx', '/src/routes/home.tsx']

/** Components of forms. The first pages have none, but they import from the same index of all components. */
const LATER =
  /node_modules\/(react-number-format|@mantine\/core\/esm\/components\/(Avatar|Card|Checkbox|Chip|Combobox|Drawer|FloatingIndicator|Grid|MultiSelect|NumberInput|Pagination|PasswordInput|Pill|PillsInput|Radio|SegmentedControl|Select|Switch|Tabs|TagsInput|Textarea|Timeline|Tooltip))\//

interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}
const firstIds = new Set<string>()

/** Notes a module and all that it imports. */
function noteFirst(id: string, graph: Graph): void {
  if (firstIds.has(id)) return
  firstIds.add(id)
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) noteFirst(imported, graph)
}

/**
 * The script that draws the heading at once (starting.ts). It is built apart: in the same build it would share a file with the
 * console, and wait for it.
 */
async function buildStarting(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    root: import.meta.dirname,
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: 'src/starting.ts', formats: ['iife'], name: 'starting' }
    }
  })
  const [chunk] = (Array.isArray(built) ? built : [built]).flatMap((each) => ('output' in each ? each.output : []))
  if (chunk?.type !== 'chunk') throw new Error('starting.ts was not built.')
  return chunk.code
}

let startingFile = ''

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [
    react(),
    {
      name: 'starting',
      apply: 'build',
      async buildStart() {
        const source = await buildStarting()
        startingFile = `assets/starting-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`
        this.emitFile({ type: 'asset', fileName: startingFile, source })
      },
      transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/app/${startingFile}` }, injectTo: 'body' }]
    },
    {
      name: 'first modules',
      buildEnd() {
        firstIds.clear()
        for (const id of this.getModuleIds()) if (FIRST.some((end) => id.endsWith(end))) noteFirst(id, this)
      }
    }
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // light-dark() as it is: translated for older browsers it would not see which scheme was chosen.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 800,
    // Data in the address of a style or an image would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // A chunk for each set of pages that share a module would be a hundred requests for the first page.
        codeSplitting: {
          groups: [
            { debugName: 'first', name: (id) => (firstIds.has(id) && !LATER.test(id) ? 'first' : null), priority: 3 },
            { name: 'dates', test: /node_modules\/(@mantine\/dates|dayjs)\//, priority: 2 },
            { name: 'several', minShareCount: 2, priority: 1 }
          ]
        }
      }
    }
  },
  server: { port: 5173, proxy: { '^/(?!app/)': SERVICE } }
})
