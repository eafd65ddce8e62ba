import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm start` listens; `npm run console:dev` passes on to it whatever is not the console's own. */
const SERVICE = process.env.CHAPPE_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // light-dark() as it is: translated for older browsers it would not see which scheme was chosen.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 800,
    // Data in the address of a style or an image would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }
  },
  server: { port: 5173, proxy: { '^/(?!app/)': SERVICE } }
})
