import './visible.ts'
import { render } from 'preact'
import { App } from './app.tsx'
import { place, to } from './router.ts'

// A report is about one run: its page is the first one.
const [run] = Object.keys(JSON.parse(document.querySelector('#data')?.textContent ?? '{}') as object)
if (place.value.path.length === 0 && run !== undefined)
  location.replace(to(['runs', decodeURIComponent(run.split('/')[2] ?? '')]))
render(<App />, document.querySelector('#app') as HTMLElement)
