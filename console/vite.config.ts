import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm start` listens; `npm run console:dev` passes on to it whatever is not the console's own. */
const SERVICE = process.env.CHAPPE_URL ?? 'http://127.0.0.1:3000'

/** What a first visit shows: all that these need is one file. */
const FIRST = ['/src/main.tsx', '/src/routes/shell.tsx', '/src/routes/home.tsx']

/** Components of forms. The first pages have none, but they import from the same index of all components. */
const LATER =
  /node_modules\/(react-number-format|@mantine\/core\/esm\/components\/(Checkbox|Chip|Combobox|Drawer|MultiSelect|NumberInput|Pagination|PasswordInput|Pill|PillsInput|Radio|SegmentedControl|Select|Switch|TagsInput|Textarea|Timeline))\//

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

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [
    react(),
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
