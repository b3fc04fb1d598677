/** How the page of a backtest looks: by the reader's own choice of light or dark, and on paper. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9dce0; --paper: #ffffff; --card: #f7f8f9; --best: #18794e; --other: #8b8d98; --note: #ad5700; font: 15px/1.5 system-ui, sans-serif }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --line: #363a3f; --paper: #111113; --card: #18191b; --best: #3dd68c; --other: #8f929a; --note: #ffa057 } }
body { max-width: 70rem; margin: 2rem auto 4rem; padding: 0 1rem; color: var(--ink); background: var(--paper) }
h1 { margin: 0 0 .25rem; font-size: 1.8rem }
h2 { margin: 3rem 0 .5rem; padding-top: .75rem; border-top: 2px solid var(--line); font-size: 1.35rem }
h3 { margin: 2rem 0 .25rem; font-size: 1.05rem }
h2 small, h3 small { font-weight: normal; color: var(--soft) }
a { color: inherit }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 }
.lead, .note, .hint, dd, td small { color: var(--soft) }
.warning { margin: .75rem 0; padding: .5rem .75rem; border-left: 4px solid var(--note); background: var(--card) }
.warning ul { margin: .25rem 0 0; padding-left: 1.25rem; color: var(--soft); overflow-wrap: anywhere }
figure { margin: .75rem 0; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card) }
figure { overflow-x: auto }
figure > svg { display: block; width: 100%; min-width: 40rem; height: auto }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin-top: .5rem; font-size: .87rem }
.legend svg { vertical-align: -2px }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .75rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); white-space: nowrap }
th { font-weight: 600; font-size: .87rem; vertical-align: bottom; white-space: normal }
th small { display: block; font-weight: normal; color: var(--soft) }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left }
td:last-child { white-space: normal; min-width: 14rem }
td small { display: block }
tbody tr:hover { background: var(--card) }
.best { color: var(--best) }
dt { margin-top: .6rem }
dd { margin: 0 0 0 1rem }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft) }
svg .title { font-size: 13px; fill: var(--ink) }
svg .axis { stroke: var(--soft); fill: none }
svg .grid { stroke: var(--line); fill: none }
svg .hull { stroke: var(--best); stroke-width: 2; fill: none }
svg .onwards { stroke-width: 1; stroke-dasharray: 4 4 }
svg .range { stroke: var(--other); opacity: .45; fill: none }
svg .label { fill: var(--ink); paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; pointer-events: none }
svg .leader { stroke: var(--soft); opacity: .6; stroke-width: .7; pointer-events: none }
svg .on { fill: var(--best) }
svg .off { fill: var(--other) }
svg .on, svg .off { stroke: var(--card); stroke-width: 1.5 }
svg .point { outline: none; cursor: default }
svg .point:hover .range, svg .point:focus .range { stroke: var(--ink); opacity: 1 }
svg .point:hover circle, svg .point:focus circle { stroke: var(--ink); stroke-width: 2 }
svg .readout { visibility: hidden; font-size: 13px; font-weight: 600; fill: var(--ink) }
svg .point:hover .readout, svg .point:focus .readout { visibility: visible }
@media print { body { max-width: none } figure, tr { break-inside: avoid } .hint, nav { display: none } }`
