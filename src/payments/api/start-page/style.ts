import { createHash } from 'node:crypto'

/** The style sheet of the page. Both colour schemes reach a contrast of 4.5:1 at least. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #fff; --box: #f4f5f7; --line: #d5d9df; --link: #0b57b8; --ok: #1a6b34; --bad: #a8251c }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --soft: #a4adb8; --paper: #14171b; --box: #1e2228; --line: #3a4049; --link: #7fb6ff; --ok: #6fcf8d; --bad: #ff9088 }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 46rem; font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: break-word }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem }
p { margin: .5rem 0 }
a { color: var(--link) }
a:focus-visible, pre:focus-visible, .wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code, pre { font: .9em/1.5 ui-monospace, monospace }
pre { margin: .75rem 0; padding: .85rem 1rem; background: var(--box); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line) }
th { font-weight: 600 }
thead th { color: var(--soft); font-size: .875rem }
ul { padding-left: 1.2rem; margin: .5rem 0 }
.state { font-weight: 600; border: 1px solid currentColor; border-radius: 999px; padding: .1rem .7rem }
.healthy { color: var(--ok) }
.degraded { color: var(--bad) }
.soft { color: var(--soft) }
`

const digest = createHash('sha256').update(style).digest('base64')

/** Nothing is loaded, run, sent or framed; only this style sheet applies. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${digest}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
